"""Rows of a weight a few at a time, so that a large layer is never unpacked whole."""

from __future__ import annotations

from collections.abc import Iterator

_VALUES = 1 << 22


def row_chunks(shape: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """First row and end of each part, about 4 million values large."""
    rows, columns = shape
    step = max(1, _VALUES // max(1, columns))
    for begin in range(0, rows, step):
        yield begin, min(rows, begin + step)
