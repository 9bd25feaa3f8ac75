"""NVFP4 by llm-compressor. Runs in a process of its own (see worker.py): it patches and leaks."""
