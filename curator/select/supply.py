"""The pieces a source can give, in a fixed random order, draw after draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from curator.corpora.corpus import Shard
from curator.corpora.document import Document
from curator.select.pieces import Piece
from curator.select.scan import Rule, Scan, piece_key, scan


class Supply(Protocol):
    """A source's pieces."""

    def draw(self) -> Iterator[Piece]:
        """Pieces for the next draw, none twice within it, those that no draw took first."""

    def took(self, piece: Piece) -> None:
        """Remember that a draw used ``piece``."""


class FiniteSupply:
    """Documents that exist.

    A piece's place is a hash of the seed and its id. A draw goes on where the last one stopped, so draws
    share nothing until the pool is used up; the pieces used least and earliest come again first.

    What does not fit into the rule's window stays on the disk: the source is read again for the next part of the
    order. The order itself does not depend on the window, the shards or the workers.

    Args:
        shards: the source's parts.
        rule: how documents become pieces.
        workers: processes that read.

    Attributes:
        first: what the first pass found: counts, and rows that could not be used.
    """

    def __init__(self, shards: Sequence[Shard], rule: Rule, workers: int = 1) -> None:
        self._shards = shards
        self._rule = rule
        self._workers = workers
        self._used: dict[str, int] = {}
        self.first = scan(shards, rule, None, workers)
        self._last: tuple[Piece | None, Scan] = (None, self.first)

    def draw(self) -> Iterator[Piece]:
        """See `Supply`."""
        used = dict(self._used)
        for times in range(max(used.values(), default=0) + 1):
            yield from (piece for piece in self._all() if used.get(piece.id, 0) == times)

    def took(self, piece: Piece) -> None:
        """See `Supply`."""
        self._used[piece.id] = self._used.get(piece.id, 0) + 1

    def _all(self) -> Iterator[Piece]:
        """All pieces, in drawing order."""
        after, found = None, self.first
        while True:
            yield from found.pieces
            if found.cutoff is None:
                return
            after = found.pieces[-1]
            found = self._window(after)

    def _window(self, after: Piece) -> Scan:
        """The pieces behind ``after``; the window asked for last is still there."""
        if self._last[0] is None or self._last[0].id != after.id:
            key = piece_key(self._rule.seed, after)
            self._last = (after, scan(self._shards, self._rule, key, self._workers))
        return self._last[1]


# A generator whose samples are refused this often in a row makes nothing that the recipe's gates let through.
_PATIENCE = 100


class EndlessSupply:
    """Generated documents, numbered from 0; each draw goes on with the next number.

    A draw ends when `_PATIENCE` samples in a row were not taken: more of the same would never end.
    """

    def __init__(self, make: Callable[[int], Document]) -> None:
        self._make = make
        self._next = 0
        self._refused = 0

    def draw(self) -> Iterator[Piece]:
        """See `Supply`."""
        self._refused = 0
        while self._refused < _PATIENCE:
            document = self._make(self._next)
            self._next += 1
            self._refused += 1
            yield Piece(f"{document.id}:0", document, 0, len(document.text))

    def took(self, piece: Piece) -> None:
        """See `Supply`. No number is made twice, so only patience is renewed."""
        self._refused = 0
