"""What fixes the content of a local file: a hash of all of it, or of enough of a very large one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from curator._errors import InputError
from curator._files import file_sha256

WHOLE = 64 << 20
"""Files of no more bytes are hashed whole."""
BLOCKS, BLOCK = 64, 1 << 16


def content_id(path: Path) -> str:
    """SHA-256 of a file in hexadecimal; of a larger one ``sampled-sha256:`` and that of its length and 64 blocks.

    The blocks, of 64 KiB, are spread evenly from the first bytes to the last. Hashing a terabyte would take longer
    than building a set from it; a change between the blocks that leaves the length as it is goes unseen.

    Raises:
        InputError: no such file, or it cannot be read.
    """
    if not path.is_file() or os.path.getsize(path) <= WHOLE:
        return file_sha256(path)
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, os.SEEK_END)
            digest = hashlib.sha256(size.to_bytes(8, "big"))
            for number in range(BLOCKS):
                handle.seek((size - BLOCK) * number // (BLOCKS - 1))
                digest.update(handle.read(BLOCK))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    return f"sampled-sha256:{digest.hexdigest()}"
