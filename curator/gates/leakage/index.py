"""Rows of words of many items, found at the cost of a few array operations a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.leakage.grams import among
from curator.gates.leakage.words import Hashes, Places

# Bits of the filter for each row: one row in so many that is in no item gets past it.
_SPARSE_BITS = 5
_LEAST_BITS, _MOST_BITS = 16, 32
_BYTE, _BIT = np.uint64(3), np.uint64(7)
# A row that more items share than this is theirs all; the first few stand for them.
_OWNERS = 8

Owners = NDArray[np.uint32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one item.

    Attributes:
        hashes: of each, in order and without doubles.
        strong: whether each is evidence on its own.
    """

    hashes: Hashes
    strong: Flags


class Index:
    """Which items have a row: 13 bytes a row and 4 to 8 for the filter.

    Args:
        rows: those of each item, by its number.
    """

    def __init__(self, rows: list[Rows]) -> None:
        hashes = np.concatenate([np.empty(0, np.uint64), *(row.hashes for row in rows)])
        order = np.argsort(hashes, kind="stable")
        owners = np.repeat(np.arange(len(rows), dtype=np.uint32), [len(row.hashes) for row in rows])
        self._hashes = hashes[order]
        self._owners: Owners = owners[order]
        self._strong = np.concatenate([np.empty(0, bool), *(row.strong for row in rows)])[order]
        bits = min(max(len(hashes).bit_length() + _SPARSE_BITS, _LEAST_BITS), _MOST_BITS)
        self._shift = np.uint64(64 - bits)
        self._filter = np.zeros(1 << (bits - 3), np.uint8)
        slots = self._hashes >> self._shift
        np.bitwise_or.at(self._filter, slots >> _BYTE, np.left_shift(1, slots & _BIT).astype(np.uint8))

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, hashes: Hashes) -> Places:
        """The places of the rows that some item has."""
        slots = hashes >> self._shift
        maybe = np.flatnonzero((self._filter[slots >> _BYTE] >> (slots & _BIT)) & 1)
        if not len(maybe):
            return maybe
        return maybe[among(hashes[maybe], self._hashes)]

    def owners(self, hashes: Hashes) -> tuple[Places, Owners, Flags]:
        """For rows that `find` found: each row's place among ``hashes`` with an item that has it.

        Returns:
            Places, items and whether the row is evidence on its own there; a place comes once for each item.
        """
        first = np.searchsorted(self._hashes, hashes)
        counts = np.minimum(np.searchsorted(self._hashes, hashes, side="right") - first, _OWNERS)
        places = np.repeat(np.arange(len(hashes)), counts)
        offsets = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = first[places] + offsets
        return places, self._owners[at], self._strong[at]
