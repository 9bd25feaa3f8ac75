"""NVFP4 methods on a GPU: what they cost, what the sets change, whether they repeat."""
