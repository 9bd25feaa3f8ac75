"""In which order the parts of a source are read: by the seed, and no more of them than are asked for.

A small source is read whole. Of a large one the parts (ranges of bytes, row groups, files) are put into an order
that the seed alone decides, and read some at a time, in rounds; within a round, pieces are mixed. So neighbours in
the source stay together for no longer than a part, and every round has parts from all over the source.

What cannot be read from its middle, such as a compressed file or a large row group, is read from its start, in
windows of rows that double, so that skipping what was read before never costs more than reading what is new.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from curator._seed import stable_hash
from curator.corpora.corpus import Shard
from curator.corpora.files import SPLIT_ABOVE
from curator.corpora.rows.file_shard import FileShard

SMALL = SPLIT_ABOVE
"""A source of no more bytes is read whole."""
ROUND = 16 << 20
"""Bytes that a round reads, or a little more."""
FEWEST = 8
"""Parts of a round, if there are so many: neighbours are often of one kind."""
WHOLE_PART = 4 << 20
"""A part of no more bytes is read at once, others in windows."""
WINDOW_ROWS = 512
"""Rows of a first window."""
_ROW_BYTES = 4096


class Rounds:
    """The rounds of one source.

    Args:
        shards: its parts.
        seed: the recipe's.

    Attributes:
        size: bytes of all parts.
        from_start: number of files that can only be read from their start.
    """

    def __init__(self, shards: Sequence[Shard], seed: int) -> None:
        self.size = sum(shard.size for shard in shards)
        self._shards = shards
        self._seed = seed
        self._given: list[list[tuple[int, int]]] = []
        self._queue: list[tuple[int, int, int]] = []
        self._small = self.size <= SMALL
        self.from_start = sum(self._is_stream(at) for at in range(len(shards)))
        for at in range(len(shards)):
            self._push(at, 0)

    def parts(self, number: int) -> list[Shard]:
        """What a round reads; those before it were read, and `note` told what they had. Nothing after the last."""
        if number == len(self._given):
            self._given.append(self._next())
        return [self._part(at, window) for at, window in self._given[number]]

    def note(self, number: int, rows: Sequence[int]) -> None:
        """Take note of the rows that each part of a round had: after a full window there may be another."""
        for (at, window), count in zip(self._given[number], rows, strict=True):
            if self._has_windows(at) and count >= _window(window)[1]:
                self._push(at, window + 1)

    def bytes_of(self, number: int) -> int:
        """Bytes that a round reads, roughly."""
        given = self._given[number]
        return sum(self._cost(at, window) for at, window in given)

    def _next(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        size = 0
        while self._queue and (self._small or len(found) < FEWEST or size < ROUND):
            window, _, at = heapq.heappop(self._queue)
            found.append((at, window))
            size += self._cost(at, window)
        return sorted(found) if self._small else found

    def _push(self, at: int, window: int) -> None:
        shard = self._shards[at]
        name = f"{shard.labels.prefix}@{shard.start}" if isinstance(shard, FileShard) else str(at)
        # First windows before second ones, which must skip the first.
        heapq.heappush(self._queue, (window, stable_hash("part", self._seed, name, window), at))

    def _part(self, at: int, window: int) -> Shard:
        shard = self._shards[at]
        return shard.window(*_window(window)) if self._has_windows(at) and isinstance(shard, FileShard) else shard

    def _has_windows(self, at: int) -> bool:
        shard = self._shards[at]
        return not self._small and isinstance(shard, FileShard) and shard.size > WHOLE_PART

    def _is_stream(self, at: int) -> bool:
        """Whether a whole file has to be read in windows. Row groups are parts themselves."""
        shard = self._shards[at]
        whole = isinstance(shard, FileShard) and shard.end is None and not shard.start and shard.limit is None
        return whole and self._has_windows(at)

    def _cost(self, at: int, window: int) -> int:
        size = self._shards[at].size
        return min(size, _window(window)[1] * _ROW_BYTES) if self._has_windows(at) else size


def _window(number: int) -> tuple[int, int]:
    """Rows before a window, and rows in it."""
    return WINDOW_ROWS * (2**number - 1), WINDOW_ROWS * 2**number
