"""What the sources have to offer to one draw, cell by cell."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from curator._seed import rng
from curator.pipeline.answers.stock import SelfStock
from curator.pipeline.answers.supply import SelfSupply
from curator.pipeline.offers import Offer, Offers
from curator.pipeline.open_source import OpenSource
from curator.select.cells import Bin, Cell
from curator.select.endless import EndlessSupply
from curator.select.pieces import Piece
from curator.select.supply import FiniteSupply

# Pieces that are measured together.
BATCH = 64
# A generator whose samples are refused this often in a row makes nothing that the recipe's gates let through.
_REFUSALS = 100
# A large source is given up for a cell after so many bytes in which nothing was found for it.
VAIN = 256 << 20
# Generated samples may be two in a hundred shorter than asked, and belong to their length bin all the same.
SLACK = 0.97
# Of a bin that begins at nothing, not most samples should be next to nothing.
_SPREAD = 4
# How the shortest sample of a generator is looked for.
_TRIES, _LONGER = 64, 1.1


class Stock(Protocol):
    """The offers of one source.

    Attributes:
        ready: offers by cell, in drawing order; they stay here when they are taken.
        gave_up: cells for which a source was not read to its end.
    """

    ready: defaultdict[Cell, list[Offer]]
    gave_up: set[Cell]

    def more(self, cell: Cell, missing: int) -> bool:
        """Get one more offer for a cell of which ``missing`` tokens are wanted; false when there is none."""

    def is_spent(self, cell: Cell) -> bool:
        """After `more` gave nothing: whether it would give nothing if more tokens were missing."""

    def took(self, offer: Offer) -> None:
        """Remember that the draw used an offer."""

    def close(self) -> None:
        """The draw is over."""


def open_stock(source: OpenSource, offers: Offers, room: int, index: int) -> Stock:
    """What a source offers to a draw.

    Args:
        source: the source.
        offers: judges and encodes.
        room: tokens of the longest sequence, without what stands before every one.
        index: the source's place in the recipe.
    """
    if isinstance(source.supply, SelfSupply):
        return SelfStock(source.supply, offers)
    if isinstance(source.supply, EndlessSupply):
        return EndlessStock(source.supply, offers, f"{source.name}/{index}", room)
    return FiniteStock(source.supply, offers)


class FiniteStock:
    """Documents that exist. Those of cells that have enough are put aside and not judged until asked for.

    Args:
        supply: the source.
        offers: judges and encodes.
    """

    def __init__(self, supply: FiniteSupply, offers: Offers) -> None:
        self.ready: defaultdict[Cell, list[Offer]] = defaultdict(list)
        self.gave_up: set[Cell] = set()
        self._supply = supply
        self._offers = offers
        self._draw: Iterator[Piece] | None = supply.draw()
        self._later: defaultdict[Cell, deque[Piece]] = defaultdict(deque)
        self._found_at: defaultdict[Cell, int] = defaultdict(lambda: supply.read)
        self._mean = float(offers.longest)

    def more(self, cell: Cell, missing: int) -> bool:
        """See `Stock`."""
        start = self._found_at[cell]
        while True:
            if not self._later[cell] and not self._look(cell, missing):
                return False
            while self._later[cell]:
                self._look_ahead(cell, missing)
                offer = self._offers.offer(self._later[cell].popleft())
                if offer is None:
                    continue
                self.ready[offer.cell].append(offer)
                self._found_at[offer.cell] = self._supply.read
                self._mean += (len(offer) - self._mean) / 8
                if offer.cell == cell:
                    return True
            if self._supply.read - start > VAIN:
                self.gave_up.add(cell)
                return False

    def is_spent(self, cell: Cell) -> bool:
        """See `Stock`."""
        return True

    def took(self, offer: Offer) -> None:
        """See `Stock`."""
        self._supply.took(offer.piece)

    def close(self) -> None:
        """See `Stock`."""
        if self._offers.cells.plain:
            # Fetched ahead in one order, and not looked at yet.
            self._supply.put_back(sum(map(len, self._later.values())))

    def _look_ahead(self, cell: Cell, missing: int) -> None:
        """Have what comes next measured before all that waits is judged, as far as it will be wanted."""
        waiting = len(self._later[cell])
        if waiting != BATCH // 2 or not self._offers.cells.plain:
            return
        more = math.ceil(missing / max(self._mean, 1)) - waiting
        if more > 0:
            self._offers.expect(self._supply.ahead(min(more, BATCH)))

    def _look(self, cell: Cell, missing: int) -> bool:
        """Fetch pieces until about as many tokens of the cell as are missing wait, or nothing is left."""
        wanted = min(math.ceil(missing / max(self._mean, 1)), BATCH)
        start, fetched = self._supply.read, 0
        while len(self._later[cell]) < max(wanted, 1) and fetched < BATCH * BATCH:
            piece = next(self._draw, None) if self._draw is not None else None
            if piece is None:
                self._draw = None
                break
            guess = self._offers.guess(piece)
            fetched += 1
            if guess is not None:
                self._later[guess].append(piece)
            if self._supply.read - start > VAIN:
                self.gave_up.add(cell)
                break
        self._offers.expect(islice(self._later[cell], BATCH))
        return bool(self._later[cell]) or (self._draw is not None and cell not in self.gave_up)


class EndlessStock:
    """Samples that are generated to the length and language of the cell that wants them.

    Args:
        supply: the generator.
        offers: judges and encodes.
        name: of the source, part of the seed of the samples' lengths.
        room: tokens of a sample where any length will do.
    """

    def __init__(self, supply: EndlessSupply, offers: Offers, name: str, room: int) -> None:
        self.ready: defaultdict[Cell, list[Offer]] = defaultdict(list)
        self.gave_up: set[Cell] = set()
        self._supply = supply
        self._offers = offers
        self._name = name
        self._room = room
        self._least: defaultdict[str, int] = defaultdict(lambda: 1)
        self._spent: set[Cell] = set()

    def more(self, cell: Cell, missing: int) -> bool:
        """See `Stock`."""
        for _ in range(_REFUSALS):
            piece = self._piece(cell, missing)
            if piece is None:
                return False
            offer = self._offers.offer(piece)
            if offer is not None:
                self.ready[offer.cell].append(offer)
                if offer.cell == cell:
                    return True
        self._spent.add(cell)
        return False

    def is_spent(self, cell: Cell) -> bool:
        """See `Stock`."""
        return cell in self._spent

    def took(self, offer: Offer) -> None:
        """See `Stock`. No number is made twice."""

    def close(self) -> None:
        """See `Stock`."""

    def lengths(self, cell: Cell) -> tuple[int, int]:
        """The fewest tokens that a sample of a cell may be asked at, as far as is known, and the most."""
        if cell in self._spent:
            return 1, 0
        if cell.language not in self._least:
            self._least[cell.language] = self._supply.least(1, cell.language, self._supply.count)
        if self._offers.cells.is_free(cell.task):
            return self._least[cell.language], self._room
        span = self._offers.cells.span(cell)
        return max(math.ceil(span.low / SLACK), self._least[cell.language]), span.high

    def length(self, cell: Cell, most: int) -> int:
        """Tokens for the next sample where ``most`` are missing: all of them where any length will do."""
        if self._offers.cells.is_free(cell.task):
            return most
        least, longest = self.lengths(cell)
        return self._tokens(Bin(least, longest, 1.0), most)

    def make(self, cell: Cell, tokens: int) -> Offer | None:
        """A sample of a cell with so many tokens, or a little less; ``None`` where there is none."""
        for _ in range(_REFUSALS):
            piece = self._supply.piece(tokens, cell.language)
            if piece is None:
                self._least[cell.language] = max(tokens + 1, round(tokens * _LONGER))
                return None
            offer = self._offers.offer(piece)
            if offer is not None and offer.cell == cell and len(offer) <= tokens:
                self.ready[cell].append(offer)
                return offer
        self._spent.add(cell)
        return None

    def _piece(self, cell: Cell, missing: int) -> Piece | None:
        """As long as may be, but no longer than is missing: no quota should cut off the answer."""
        if self._offers.cells.is_free(cell.task):
            most = min(self._room, missing)
            piece = self._supply.piece(most, cell.language) or self._supply.piece(self._room, cell.language)
            if piece is None:
                self._spent.add(cell)
            return piece
        span = self._offers.cells.span(cell)
        for _ in range(_TRIES):
            least = max(math.ceil(span.low / SLACK), self._least[cell.language])
            if least > span.high:
                self._spent.add(cell)
            if min(missing, span.high) < least:
                return None
            tokens = self._tokens(dataclasses.replace(span, low=least), missing)
            piece = self._supply.piece(tokens, cell.language)
            if piece is not None:
                return piece
            # Nobody says before how short a sample can be.
            self._least[cell.language] = max(tokens + 1, round(tokens * _LONGER))
        self._spent.add(cell)
        return None

    def _tokens(self, span: Bin, missing: int) -> int:
        """A length that leaves a number of tokens which others of these lengths can have."""
        draw = rng("length", self._name, self._supply.next, span.low)
        low = max(span.low, span.high // _SPREAD)
        size = round(math.exp(draw.uniform(math.log(low), math.log(span.high))))
        return span.first(size, missing) or span.low
