"""NVIDIA ModelOpt as a second quantiser, in an environment of its own: its pins of transformers exclude ours."""
