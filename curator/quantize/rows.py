"""Telling rows of token ids apart."""

from __future__ import annotations

import hashlib
import json


def row_digest(row: list[int]) -> str:
    """A short digest of one row of token ids."""
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]
