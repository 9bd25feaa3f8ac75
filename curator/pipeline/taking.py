"""Which of the offers a set takes, and how much of each."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from curator.pipeline.offers import Offer
from curator.pipeline.stock import SLACK, EndlessStock, Stock
from curator.pipeline.taken import Place, Taken
from curator.select.cells import Cell, Cells
from curator.tokens.pack import Segment

Order = Callable[[Sequence[Offer]], list[Offer]]
# Offers of a source that wait at once for a quota that they fit into.
_PATIENCE = 50
# Offers looked at for a gap in a sequence, besides those that wait already.
_FOR_A_GAP = 8
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
        self._taken: list[Taken] = []
        self._next: Counter[Place] = Counter()
        self._waiting: defaultdict[Place, list[Offer]] = defaultdict(list)
        self._told = 0

    def start_again(self) -> None:
        """Give everything back. What was exhausted stays so."""
        self.got.clear()
        self._taken.clear()
        self._next.clear()
        self._waiting.clear()

    def taken(self) -> list[Taken]:
        """What was taken so far, in this order."""
        return list(self._taken)

    def give_back(self, taken: Taken) -> None:
        """Take it no more; it waits until more is wanted."""
        self._taken.remove(taken)
        self.got[taken.place] -= taken.tokens
        self._waiting[taken.place].append(taken.offer)

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
        return [one.segment() for one in self._taken if index is None or one.place[0] == index]

    def cells_of(self) -> dict[str, Cell]:
        """The cell of every text taken, by the id of its piece."""
        return {one.name: one.place[1] for one in self._taken}

    @property
    def notes(self) -> Counter[str]:
        """See the class."""
        return Counter(note for one in self._taken for note in one.offer.notes)

    def close(self) -> None:
        """Tell the sources what was taken."""
        for one in self._taken:
            self._stocks[one.place[0]].took(one.offer)
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
                self._use(place, waited, size)
                return True
        while len(waiting) < self._patience(place, left) and (offer := self._following(place, left)) is not None:
            if size := self._size(place[1], offer, left):
                self._use(place, offer, size)
                return True
            waiting.append(offer)
        return self._takes_parts(place[1]) and self._use_nearest(place, left)

    def maker(self, index: int) -> EndlessStock | None:
        """A source that makes samples of any length; ``None`` for one of documents."""
        stock = self._stocks[index]
        return stock if isinstance(stock, EndlessStock) else None

    def make(self, place: Place, tokens: int) -> Taken | None:
        """Take a sample of so many tokens or next to it, whole; of those there already, or a new one."""
        index, cell = place
        maker = self.maker(index)
        assert maker is not None
        used = {one.name for one in self._taken if one.place == place}
        unused = (one for one in maker.ready[cell] if one.segment.piece not in used)
        offer = next((one for one in unused if tokens * SLACK <= len(one) <= tokens), None)
        offer = offer or maker.make(cell, tokens)
        if offer is None:
            if maker.is_spent(cell):
                self.exhausted.add(place)
            return None
        return self._use(place, offer, len(offer))

    def _patience(self, place: Place, left: int) -> int:
        """How many offers may wait while one is looked for that fits."""
        if self._pack == "bfd":
            # The beginning of a plain text that waits fills a gap: judging others to find a whole one is dear.
            return 0 if any(not offer.whole for offer in self._waiting[place]) else _FOR_A_GAP
        return _PATIENCE if self._can_fit(place[1], left) else 0

    def fit(self, place: Place, whole: int, part: int) -> Taken | None:
        """Take a conversation of ``whole`` tokens at most, or ``part`` tokens of plain text, unless that is 0."""
        waiting = self._waiting[place]
        most = len(waiting) + _FOR_A_GAP

        def fits(offer: Offer) -> bool:
            return len(offer) <= (whole if offer.whole else part)

        def best() -> Offer | None:
            parts = (offer for offer in waiting if part and not offer.whole)
            return next(filter(fits, waiting), None) or next(parts, None)

        while (chosen := best()) is None and len(waiting) < most:
            if (offer := self._following(place, whole)) is None:
                break
            waiting.append(offer)
        if chosen is None:
            return None
        waiting.remove(chosen)
        return self._use(place, chosen, len(chosen) if chosen.whole else min(len(chosen), part))

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
        self._use(place, chosen, min(len(chosen), left))
        return True

    def _use_nearest(self, place: Place, left: int) -> bool:
        """Of texts that do not fit, take the one that misses by least, if that is better than none."""
        waiting = self._waiting[place]
        nearest = min(waiting, key=lambda offer: abs(len(offer) - left), default=None)
        if nearest is None or abs(len(nearest) - left) >= left:
            return False
        waiting.remove(nearest)
        self._use(place, nearest, len(nearest))
        return True

    def _use(self, place: Place, offer: Offer, tokens: int) -> Taken:
        self._taken.append(Taken(place, offer, tokens))
        self.got[place] += tokens
        # After a new beginning, nothing is told twice.
        if (total := self.got.total()) > self._told:
            self._advance(total - self._told)
            self._told = total
        return self._taken[-1]
