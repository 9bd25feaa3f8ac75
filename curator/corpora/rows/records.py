"""What format readers give: rows with their numbers, and rows that could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from curator.corpora.corpus import BadRow

LINE = ":"
"""Between a file's name and a number that counts lines."""
ROW = " row "
"""The same, for formats that have no lines."""
BYTE = " byte "
"""The same, for parts of large files, whose lines nobody has counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was read.

    Attributes:
        number: the line that it begins on, or its place among the rows, from 1; or the byte that it begins at.
        values: its columns.
        mended: what was repaired in it, in words; empty when nothing was.
        mark: `LINE`, `ROW` or `BYTE`, what the number counts.
    """

    number: int
    values: dict[str, Any]
    mended: str = ""
    mark: str = LINE


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that could not be read. ``reason`` and ``detail`` are those of `BadRow`."""

    number: int
    reason: str
    detail: str
    mark: str = LINE


@dataclass(frozen=True, slots=True)
class Mended(BadRow):
    """A row that was repaired and kept: it is counted, not dropped, and comes just before its document."""


class UnusableError(ValueError):
    """A row, or a part of one, that gives no text; a reader turns it into a `BadRow`.

    Args:
        detail: what is wrong and what to do, without file or line.
        reason: as in `BadRow`.
    """

    def __init__(self, detail: str, reason: str) -> None:
        self.reason = reason
        super().__init__(detail)
