"""Evidence in a text for the items of an evaluation, in one kind of script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from curator.gates.leakage.grams import Size, grams
from curator.gates.leakage.index import Flags, Index, Rows
from curator.gates.leakage.item_words import ItemWords, Short, full_rows, short_rows
from curator.gates.leakage.words import Hashes, Places, Words


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence for one item.

    Attributes:
        item: its number.
        ratio: as in `Leak`.
        first: number of the first token of the longest row.
        last: number of its last token.
    """

    item: int
    ratio: float
    first: int
    last: int


class Finder:
    """Finds the rows of one kind of script.

    Args:
        size: how long they are.
        words: the items' tokens.

    Attributes:
        kind: of its tokens (see `Words`).
        items: the numbers of the items that have any.
    """

    def __init__(self, size: Size, words: Sequence[ItemWords]) -> None:
        self._size, self.kind = size, size.kind
        rows = [full_rows(item, size) for item in words]
        self._totals = [(len(row.hashes), int(row.strong.sum())) for row in rows]
        self._full = Index(rows)
        shorts = [short for number, item in enumerate(words) for short in short_rows(number, item, size)]
        self._shorts = defaultdict[int, list[Short]](list)
        for short in shorts:
            self._shorts[short.first].append(short)
        firsts = np.unique(np.array([short.first for short in shorts], np.uint64))
        self._firsts = Index([Rows(firsts, np.ones(len(firsts), bool))])
        self.items = {number for number, (count, _) in enumerate(self._totals) if count}
        self.items |= {short.item for short in shorts}

    def find(self, words: Words) -> Iterator[Found]:
        """Evidence for each item that there is any for."""
        size = self._size
        if len(self._full):
            rows = grams(words.hashes, size.full)
            places = self._full.find(rows)
            if len(places):
                yield from self._full_rows(rows, places)
        if len(self._firsts):
            rows = grams(words.hashes, size.least)
            for place in self._firsts.find(rows).tolist():
                yield from self._whole(words.hashes, place, int(rows[place]))

    def _full_rows(self, rows: Hashes, places: Places) -> Iterator[Found]:
        at, owners, strong = self._full.owners(rows[places])
        for item in np.unique(owners).tolist():
            mine = owners == item
            ours, is_strong = places[at[mine]], strong[mine]
            breaks = np.flatnonzero(np.diff(ours) > 1) + 1
            runs = list(zip([0, *breaks.tolist()], [*breaks.tolist(), len(ours)], strict=True))
            kept = [run for run in runs if self._is_evidence(is_strong[run[0] : run[1]])]
            if kept:
                first, end = max(kept, key=lambda run: run[1] - run[0])
                shared = len(np.unique(rows[ours]))
                strongly = len(np.unique(rows[ours[is_strong]]))
                count, strong_count = self._totals[item]
                of_text = sum(end - start for start, end in kept) / len(rows)
                ratio = max(shared / count, strongly / max(strong_count, 1), of_text)
                yield Found(item, ratio, int(ours[first]), int(ours[end - 1]) + self._size.full - 1)

    def _is_evidence(self, strong: Flags) -> bool:
        return bool(strong.any()) or len(strong) + self._size.full - 1 >= self._size.passage

    def _whole(self, hashes: Hashes, place: int, first: int) -> Iterator[Found]:
        for short in self._shorts[first]:
            row = hashes[place : place + short.length]
            if len(row) == short.length and int(grams(row, short.length)[0]) == short.whole:
                yield Found(short.item, 1.0, place, place + short.length - 1)
