"""Handing a calibration set to a quantiser so that exactly its token ids arrive.

One file a library. Each takes the rows of `read_set` and gives the arguments of that library's own entry point.
Nothing of Curate's other needs is imported, so that ``pip install --no-deps curate-nvfp4`` in the library's own
environment is enough.
"""

from curator.adapters.stored_set import StoredSet, read_set

__all__ = ["StoredSet", "read_set"]
