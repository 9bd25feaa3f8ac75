"""Telling rows of token ids apart, and how they are batched."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from curator.adapters.batches import Rows, equal_length_batches


def row_digest(row: list[int]) -> str:
    """A short digest of one row of token ids."""
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]


def batch_sizes(rows: Rows, batch_size: int) -> dict[str, int]:
    """How many batches of each number of rows the model is run on, as a receipt tells it."""
    sizes = Counter(map(len, equal_length_batches(rows, batch_size)))
    return {str(size): sizes[size] for size in sorted(sizes)}
