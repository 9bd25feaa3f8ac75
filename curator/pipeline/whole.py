"""Taking texts whole: each is put into a sequence as it is taken, and samples are made to fit what is left.

Conversations come first, the longest first; generators then make samples as long as a sequence's room or what is
left of their quota, so that no answer is cut from its context. Plain documents fill the rest: those that fit
whole, then the beginning of one where a gap would stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator.pipeline.stock import EndlessStock
from curator.pipeline.taken import Place, Taken
from curator.pipeline.taking import Taking
from curator.select.cells import Bin, Cell
from curator.select.quotas import split_quota
from curator.tokens.gaps import LEAST, Gaps

Wanted = Mapping[Cell, Mapping[int, int]]
"""Tokens of each cell by the source's number."""
# A sample that would leave a gap in which next to nothing can be said takes that too.
_SLIVER = 64
# What one cell could not fill, others may: this part of all tokens, so that no share is moved by more.
_MOVED = 100


class Whole:
    """One filling of a set with whole texts.

    Args:
        taking: what the sources offer.
        wanted: what is asked of them.
        rooms: tokens of each sequence.

    Attributes:
        gaps: what is in each sequence.
    """

    def __init__(self, taking: Taking, wanted: Wanted, rooms: Sequence[int]) -> None:
        self.gaps = Gaps(rooms)
        self._taking = taking
        self._spare = sum(rooms) // _MOVED
        self._wanted = self._possible(wanted)

    def fill(self) -> None:
        """Take what is wanted, as far as it is there and fits."""
        for cell, parts in self._wanted.items():
            given = {index: tokens for index, tokens in parts.items() if not self._taking.maker(index)}
            self._taking.fill(cell, given)
        offers = sorted(self._taking.taken(), key=lambda one: -one.tokens)
        self._put([one for one in offers if one.offer.whole])
        self._make()
        # What generators could not be asked for, conversations may give before plain text takes the room.
        self._top_up(parts=False)
        self._put([one for one in offers if not one.offer.whole])
        self._top_up(parts=True)

    def _possible(self, wanted: Wanted) -> Wanted:
        """A cell whose tokens no number of samples has gets the nearest that one has; others share the rest."""
        fixed: dict[Cell, int] = {}
        for cell, parts in wanted.items():
            makers = [maker for index in parts if (maker := self._taking.maker(index))]
            lengths = [maker.lengths(cell) for maker in makers]
            tokens = sum(parts.values())
            if not tokens or len(makers) < len(parts) or not makers:
                continue
            span = Bin(min(least for least, _ in lengths), min(self.gaps.largest(), lengths[0][1]), 1.0)
            if span.low <= span.high and not span.fits(tokens):
                count = -(-tokens // span.high)
                fixed[cell] = min((count - 1) * span.high, count * span.low, key=lambda size: abs(size - tokens))
        goals = {cell: sum(parts.values()) for cell, parts in wanted.items()}
        others = sum(tokens for cell, tokens in goals.items() if cell not in fixed)
        left = sum(goals.values()) - sum(fixed.values())
        if not fixed or left <= 0 or not others:
            return wanted
        goals = {cell: fixed.get(cell, tokens * left // others) for cell, tokens in goals.items()}
        named = {
            cell: {str(index): float(part) for index, part in parts.items()} for cell, parts in wanted.items()
        }
        return {
            cell: {int(index): part for index, part in split_quota(tokens, named[cell]).items()} if tokens else {}
            for cell, tokens in goals.items()
        }

    def _put(self, taken: Sequence[Taken]) -> None:
        for one in taken:
            if self.gaps.fitting(one.tokens):
                self.gaps.put(one.name, one.tokens)
            else:
                self._taking.give_back(one)

    def _make(self) -> None:
        """Have samples made; of the place next that lacks most."""
        left = dict(self._left_to_make())
        while left:
            place = max(left, key=lambda one: (left[one], one))
            size = self._size(place, left[place])
            if not size:
                del left[place]
            elif made := self._taking.make(place, size):
                left[place] -= made.tokens + self.gaps.put(made.name, made.tokens)

    def _left_to_make(self) -> Mapping[Place, int]:
        """What documents have not given, by the generators' parts."""
        found: dict[Place, int] = {}
        for cell, parts in self._wanted.items():
            makers = {str(index): float(part) for index, part in parts.items() if self._taking.maker(index)}
            left = sum(parts.values()) - self._taking.of_cell(cell)
            if left > 0 and any(makers.values()):
                found |= {(int(index), cell): part for index, part in split_quota(left, makers).items()}
        return found

    def _size(self, place: Place, left: int) -> int:
        """Tokens of the next sample; 0 when none is to be made."""
        maker = self._maker(place)
        least, most = maker.lengths(place[1])
        if least > most:
            self._taking.exhausted.add(place)
        most = min(most, self.gaps.largest())
        # The last of a quota is made where that comes nearer to it than leaving it out.
        if most < least or 2 * left < least:
            return 0
        if most < left < most + least:
            # The rest would be too little for another: both are shorter, or as short as can be.
            most = max(left - least, least)
        size = maker.length(place[1], max(min(left, most), least))
        room = self.gaps.fitting(size)
        rest = left - room
        # The room has none left for another of its kind, and the quota has none left or enough for one.
        is_sliver = room - size < max(_SLIVER, least if size < left else 0)
        return room if is_sliver and room <= most and (rest >= least or abs(rest) < LEAST) else size

    def _top_up(self, *, parts: bool) -> None:
        """Fill the largest gap, as long as something fits, with a text of what lacks most."""
        while (room := self.gaps.largest()) and (taken := self._next(room, parts)):
            self.gaps.put(taken.name, taken.tokens)

    def _next(self, room: int, parts: bool) -> Taken | None:
        lacking = {cell: sum(own.values()) - self._taking.of_cell(cell) for cell, own in self._wanted.items()}
        for cell in sorted(lacking, key=lambda one: (-lacking[one], one)):
            left = max(lacking[cell], 0)
            most = min(room, left + self._spare) if parts else 0
            # A whole text may be more than is missing, if that comes much nearer to it than leaving it out.
            whole = max(min(room, left + left // 2), most)
            for index in self._wanted[cell] if whole >= LEAST else ():
                taken = self._one((index, cell), whole, most)
                if taken is not None:
                    self._spare -= min(max(taken.tokens - left, 0), self._spare)
                    return taken
        return None

    def _one(self, place: Place, whole: int, most: int) -> Taken | None:
        maker = self._taking.maker(place[0])
        if maker is None:
            return self._taking.fit(place, whole, most)
        while True:
            least, longest = maker.lengths(place[1])
            if least > (size := min(most, longest)):
                return None
            if made := self._taking.make(place, size):
                return made

    def _maker(self, place: Place) -> EndlessStock:
        maker = self._taking.maker(place[0])
        assert maker is not None
        return maker
