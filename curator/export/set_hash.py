"""The identity of a calibration set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np


def set_sha256(rows: Sequence[Sequence[int]]) -> str:
    """Hash of the token ids alone: each row's length, then its ids, as little-endian 32-bit numbers."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(len(row).to_bytes(4, "little"))
        digest.update(np.asarray(row, dtype="<i4").tobytes())
    return digest.hexdigest()
