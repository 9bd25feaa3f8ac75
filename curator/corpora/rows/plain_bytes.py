"""The bytes of an open file, decompressed, in blocks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import BinaryIO

from curator._errors import InputError
from curator.corpora.rows.compression import compression_of, decompressed

_BLOCK = 1 << 18
_COMPRESSED_BLOCK = 1 << 16


def plain_blocks(handle: BinaryIO, name: str) -> Iterator[bytes]:
    """The file's content from where it stands: decompressed if its first bytes say so.

    Raises:
        InputError: the file is truncated, damaged, an archive, or cannot be read.
    """
    try:
        head = handle.read(_COMPRESSED_BLOCK)
        if head.startswith(b"PK\x03\x04"):
            raise InputError(f"{name}: a zip archive; unpack it and name the files in it")
        kind = compression_of(head)
        size = _COMPRESSED_BLOCK if kind else _BLOCK
        stored = itertools.chain([head], iter(lambda: handle.read(size), b""))
        yield from decompressed(stored, kind, name) if kind else stored
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from error


def block_range(handle: BinaryIO, start: int, end: int | None, name: str) -> Iterator[bytes]:
    """The bytes from ``start`` to before ``end`` (``None``: to the last) of a file that is not compressed.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        handle.seek(start)
        left = end - start if end is not None else None
        while block := handle.read(_BLOCK if left is None else min(_BLOCK, left)):
            left = left - len(block) if left is not None else None
            yield block
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from error
