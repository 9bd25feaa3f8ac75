"""The pieces a source can give, in a fixed random order, draw after draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from curator.corpora.corpus import Shard
from curator.engine.interface import Workers
from curator.select.pieces import Piece
from curator.select.rounds import SMALL, Rounds
from curator.select.scan import Rule, Scan, scan

# Characters of a source's text that stay in memory; the rest is read again when a draw asks for it.
_HELD = 64_000_000


class FiniteSupply:
    """Documents that exist.

    A piece's place is a hash of the seed and its id, within a round of the source (see `Rounds`). A draw has a
    pool of its own: it goes on behind all that earlier draws looked at, whether they took it or not, so that no
    draw is left with what another did not want. Only when the source is used up come the pieces that nobody took,
    then those used least and earliest.

    Args:
        shards: the source's parts.
        rule: how documents become pieces.
        workers: processes that read, or an engine; they do not change what is read.

    Attributes:
        found: what was counted in all that was read so far, without its pieces.
        read: bytes read so far, roughly.
        size: bytes of the whole source; 0 when not known.
        from_start: parts that can only be read from their start.
        ended: whether all of it was read.
    """

    def __init__(self, shards: Sequence[Shard], rule: Rule, workers: Workers = 1) -> None:
        self._rounds = Rounds(shards, rule.seed)
        self._rule = rule
        self._workers = workers
        self._used: dict[str, int] = {}
        self._looked_at = self._again = 0
        self._lengths: list[int] = []
        self._held: dict[int, list[Piece]] = {}
        self.found = Scan()
        self.read = 0
        self.size, self.from_start = self._rounds.size, self._rounds.from_start
        self.ended = False
        self.quiet = False
        # So far that there is something to say about the source.
        while not self.ended and not sum(self._lengths):
            self._round(len(self._lengths))

    def first(self) -> list[Piece]:
        """The pieces of the first round that has some."""
        return next((self._round(at) for at, count in enumerate(self._lengths) if count), [])

    def draw(self) -> Iterator[Piece]:
        """Pieces for the next draw, none twice within it, those that no draw looked at first."""
        start, self._again = self._looked_at, 0
        for place, piece in self._from(start):
            self._looked_at = place + 1
            yield piece
        used = dict(self._used)
        for times in range(max(used.values(), default=0) + 1):
            for place, piece in self._from(0):
                if place >= start:
                    break
                if used.get(piece.id, 0) == times:
                    self._again += 1
                    yield piece

    def ahead(self, count: int) -> list[Piece]:
        """The pieces that come next, as far as they are in memory; nothing is drawn or read for it."""
        place, found = 0, list[Piece]()
        for number, pieces in enumerate(self._lengths):
            if place + pieces > self._looked_at:
                held = self._held.get(number)
                if held is None or len(found) >= count:
                    break
                found += held[max(self._looked_at - place, 0) :][: count - len(found)]
            place += pieces
        return found

    def put_back(self, count: int) -> None:
        """The last ``count`` pieces of this draw were not looked at: the next draw begins with them."""
        # What came again is no concern of the next draw.
        self._looked_at -= max(count - self._again, 0)

    def took(self, piece: Piece) -> None:
        """Remember that a draw used ``piece``."""
        self._used[piece.id] = self._used.get(piece.id, 0) + 1

    def forget_bad(self) -> None:
        """Leave the bad rows, also those still to come, to another supply of the same source."""
        self.quiet = True
        self.found.forget_bad()

    def _from(self, start: int) -> Iterator[tuple[int, Piece]]:
        """Places and pieces from a place in the drawing order on."""
        place, number = 0, 0
        while True:
            known = self._lengths[number] if number < len(self._lengths) else None
            if known is not None and place + known <= start:
                place, number = place + known, number + 1
                continue
            pieces = self._round(number)
            if number >= len(self._lengths):
                return
            for piece in pieces[max(start - place, 0) :]:
                yield max(start, place), piece
                start = place = max(start, place) + 1
            number += 1

    def _round(self, number: int) -> list[Piece]:
        """The pieces of a round; the rounds that were read last are still there."""
        if number not in self._held:
            parts = self._rounds.parts(number)
            if not parts:
                self.ended = True
                return []
            large = sum(part.size for part in parts) > SMALL
            made = scan(parts, self._rule, self._workers if large else 1)
            if number == len(self._lengths):
                self._count(number, made)
            self._held[number] = made.pieces
            self._let_go(number)
        return self._held[number]

    def _count(self, number: int, made: Scan) -> None:
        self._lengths.append(len(made.pieces))
        self._rounds.note(number, made.rows)
        self.read = min(self.read + self._rounds.bytes_of(number), self.size)
        if self.quiet:
            made.forget_bad()
        self.found.count(made)
        self.ended = not self._rounds.parts(number + 1)

    def _let_go(self, newest: int) -> None:
        held = {number: sum(len(piece.document.text) for piece in self._held[number]) for number in self._held}
        for number in sorted(held, key=lambda number: (number == newest, number)):
            if sum(held.values()) <= _HELD or number == newest:
                return
            del self._held[number], held[number]
