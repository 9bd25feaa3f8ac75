"""Which of the offers a set takes, and how much of each."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from curator.pipeline.offers import Offer
from curator.pipeline.stock import Stock
from curator.select.cells import Cell, Cells
from curator.tokens.pack import Segment

Place = tuple[int, Cell]
"""A source's number, and a cell that it gives texts for."""
Order = Callable[[Sequence[Offer]], list[Offer]]
# Offers of a source that wait at once for a quota that they fit into.
_PATIENCE = 50
# Offers to choose from, for each token wanted, where they are chosen for their diversity.
_CHOICE = 3


class Taking:
    """What one draw takes; it can begin again with the same offers.

    Args:
        stocks: what the sources offer.
        cells: the target's.
        pack: how sequences are made: texts are cut to the quotas only where they are laid end to end.
        advance: called with the number of tokens taken since the last call.
        order: offers in the order in which they are best taken; as they come when left out.

    Attributes:
        got: tokens taken of each source for each cell.
        exhausted: sources and cells that had nothing left when they were asked for more.
        notes: taken texts by what happened on the way to tokens.
    """

    def __init__(
        self,
        stocks: Sequence[Stock],
        cells: Cells,
        pack: Literal["concat", "bfd", "none"],
        advance: Callable[[int], None],
        order: Order | None,
    ) -> None:
        self.got: Counter[Place] = Counter()
        self.exhausted: set[Place] = set()
        self._stocks = stocks
        self._cells = cells
        self._pack = pack
        self._advance = advance
        self._order = order
        self._taken: list[tuple[Place, Offer, int]] = []
        self._next: Counter[Place] = Counter()
        self._waiting: defaultdict[Place, list[Offer]] = defaultdict(list)
        self._told = 0

    def start_again(self) -> None:
        """Give everything back. What was exhausted stays so."""
        self.got.clear()
        self._taken.clear()
        self._next.clear()
        self._waiting.clear()

    def count(self) -> int:
        """Number of texts taken."""
        return len(self._taken)

    def offered(self) -> int:
        """Number of texts that the sources have offered, taken or not."""
        return sum(len(offers) for stock in self._stocks for offers in stock.ready.values())

    def of_cell(self, cell: Cell) -> int:
        """Tokens taken for a cell."""
        return sum(tokens for (_, own), tokens in self.got.items() if own == cell)

    def available(self, cell: Cell) -> int:
        """Tokens of all offers of a cell, taken or not."""
        return sum(len(offer) for stock in self._stocks for offer in stock.ready[cell])

    def gave_up(self, cell: Cell) -> list[int]:
        """Sources that were not read to their end for a cell, since nothing came."""
        return [index for index, stock in enumerate(self._stocks) if cell in stock.gave_up]

    def segments(self, index: int | None = None) -> list[Segment]:
        """What was taken, of all sources or of one."""
        return [
            _cut(offer.segment, tokens) for (at, _), offer, tokens in self._taken if index is None or at == index
        ]

    def cells_of(self) -> dict[str, Cell]:
        """The cell of every text taken, by the id of its piece."""
        return {offer.segment.piece: cell for (_, cell), offer, _ in self._taken}

    @property
    def notes(self) -> Counter[str]:
        """See the class."""
        return Counter(note for _, offer, _ in self._taken for note in offer.notes)

    def close(self) -> None:
        """Tell the sources what was taken."""
        for (index, _), offer, _ in self._taken:
            self._stocks[index].took(offer)
        for stock in self._stocks:
            stock.close()

    def fill(self, cell: Cell, wanted: Mapping[int, int]) -> None:
        """Take what is wanted of each source for a cell; what one cannot give, the others are asked for."""
        places = {(index, cell): tokens for index, tokens in wanted.items()}
        for place, tokens in places.items():
            self.prepare(place, tokens)
        aim = sum(self.got[place] + tokens for place, tokens in places.items())
        for again in (False, True):
            missing = aim - sum(self.got[place] for place in places)
            for place, tokens in places.items():
                goal = self.got[place] + (missing if again else tokens)
                missing += self.got[place]
                while (left := goal - self.got[place]) > 0 and self.take(place, left):
                    pass
                missing -= self.got[place]

    def take(self, place: Place, left: int) -> bool:
        """Take of the next offer that fits into ``left`` tokens; false when there is none.

        One that does not fit waits until more is wanted, and the last tokens of a quota go to the first that fits.
        """
        waiting = self._waiting[place]
        for at, waited in enumerate(waiting):
            if size := self._size(place[1], waited, left):
                del waiting[at]
                return self._use(place, waited, size)
        patience = _PATIENCE if self._can_fit(place[1], left) else 0
        while len(waiting) < patience and (offer := self._following(place, left)) is not None:
            if size := self._size(place[1], offer, left):
                return self._use(place, offer, size)
            waiting.append(offer)
        return self._takes_parts(place[1]) and self._use_nearest(place, left)

    def top_up(self, goals: Mapping[Cell, int]) -> None:
        """Fill what whole texts left over, with the beginning of a text that may be cut, of what lacks most."""
        while (left := sum(goals.values()) - self.got.total()) > 0:
            lacking = sorted(self.got, key=lambda place: (self.of_cell(place[1]) - goals[place[1]], place))
            if not any(self._use_beginning(place, left) for place in lacking):
                return

    def prepare(self, place: Place, tokens: int) -> None:
        """Where diversity is asked for: gather offers to choose from, and order those not taken."""
        if self._order is None:
            return
        index, cell = place
        stock, start = self._stocks[index], self._next[place]
        while sum(map(len, stock.ready[cell][start:])) < _CHOICE * tokens and stock.more(cell, tokens):
            pass
        stock.ready[cell][start:] = self._order(sorted(stock.ready[cell][start:], key=lambda one: one.number))

    def _following(self, place: Place, left: int) -> Offer | None:
        index, cell = place
        offer = self._fresh(index, cell, left)
        if offer is None and self._takes_parts(cell):
            offer = self._longer(index, cell, left)
        if offer is None and not self._waiting[place] and self._stocks[index].is_spent(cell):
            self.exhausted.add(place)
        return offer

    def _fresh(self, index: int, cell: Cell, left: int) -> Offer | None:
        stock, at = self._stocks[index], self._next[index, cell]
        if at >= len(stock.ready[cell]) and not stock.more(cell, left):
            return None
        self._next[index, cell] += 1
        return stock.ready[cell][at]

    def _longer(self, index: int, cell: Cell, left: int) -> Offer | None:
        """A longer text, to be cut, where there is none of the right length."""
        for longer, span in enumerate(self._cells.bins(cell.task)):
            other = dataclasses.replace(cell, bin=longer)
            if longer <= cell.bin or not span.share or (offer := self._fresh(index, other, left)) is None:
                continue
            if not offer.whole:
                return offer
            self._waiting[index, other].append(offer)
        return None

    def _takes_parts(self, cell: Cell) -> bool:
        """Whether texts are chosen, and cut, so that they fill a quota of their length."""
        return self._pack == "concat" and not self._cells.is_free(cell.task)

    def _can_fit(self, cell: Cell, left: int) -> bool:
        return not self._takes_parts(cell) or left >= self._cells.span(cell).low

    def _size(self, cell: Cell, offer: Offer, left: int) -> int:
        """Tokens to take of an offer where ``left`` are wanted; 0 when it does not fit."""
        size = len(offer)
        if self._pack != "concat":
            return size if size <= left else 0
        if self._cells.is_free(cell.task):
            return min(size, left)
        span = self._cells.span(cell)
        if offer.whole:
            return size if size <= left and span.fits(left - size) else 0
        return span.first(size, left)

    def _use_beginning(self, place: Place, left: int) -> bool:
        waiting = self._waiting[place]
        if not any(not offer.whole for offer in waiting) and (offer := self._following(place, left)) is not None:
            waiting.append(offer)
        chosen = next((offer for offer in waiting if not offer.whole), None)
        if chosen is None:
            return False
        waiting.remove(chosen)
        return self._use(place, chosen, min(len(chosen), left))

    def _use_nearest(self, place: Place, left: int) -> bool:
        """Of texts that do not fit, take the one that misses by least, if that is better than none."""
        waiting = self._waiting[place]
        nearest = min(waiting, key=lambda offer: abs(len(offer) - left), default=None)
        if nearest is None or abs(len(nearest) - left) >= left:
            return False
        waiting.remove(nearest)
        return self._use(place, nearest, len(nearest))

    def _use(self, place: Place, offer: Offer, tokens: int) -> bool:
        self._taken.append((place, offer, tokens))
        self.got[place] += tokens
        # After a new beginning, nothing is told twice.
        if (total := self.got.total()) > self._told:
            self._advance(total - self._told)
            self._told = total
        return True


def _cut(segment: Segment, tokens: int) -> Segment:
    if tokens == len(segment.ids):
        return segment
    return dataclasses.replace(segment, ids=segment.ids[:tokens], cut=segment.cut + len(segment.ids) - tokens)
