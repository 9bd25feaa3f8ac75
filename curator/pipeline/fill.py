"""Taking texts from sources until every cell of the target has its share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator._seed import stable_hash
from curator.pipeline.offers import Offers
from curator.pipeline.open_source import OpenSource
from curator.pipeline.screen import Screen
from curator.pipeline.stock import Stock, open_stock
from curator.pipeline.taking import Order, Place, Taking
from curator.recipe.schema import Recipe
from curator.select.allocate import allocate
from curator.select.cells import NO_LANGUAGE, Cell, Cells, Margin
from curator.select.quotas import split_quota
from curator.tokens.encode import Encoder
from curator.tokens.pack import Segment

Advance = Callable[[int], None]
SILENT = frozenset({NO_LANGUAGE})


@dataclass(frozen=True, slots=True)
class Shares:
    """What is asked of tasks and sources.

    Attributes:
        tasks: each task's share of the tokens.
        weights: each source's share within its task, by its place.
    """

    tasks: Mapping[str, float]
    weights: Sequence[float]


def shares_of(recipe: Recipe, sources: Sequence[OpenSource]) -> Shares:
    """What a recipe asks of its sources."""
    return Shares(recipe.target.shares(), [source.weight for source in sources])


class Filler:
    """Fills one draw of a recipe.

    Args:
        recipe: lengths and policies.
        sources: where pieces come from; they remember what earlier draws took.
        screen: gates and scores.
        encoder: from pieces to token ids.
        advance: called with the number of tokens taken since the last call.
        order: where the target asks for diversity: offers in the order in which they are best taken.

    Attributes:
        cells: the target's.
        asked: tokens asked of each source for each cell.
        offers: what was judged and refused.
        taking: what was taken.
    """

    def __init__(
        self,
        recipe: Recipe,
        sources: Sequence[OpenSource],
        screen: Screen,
        encoder: Encoder,
        advance: Advance,
        order: Order | None = None,
    ) -> None:
        # One sequence's worth at most, so that no document crowds out the others.
        room = recipe.size.longest - len(encoder.prefix)
        self.cells = Cells(recipe.target, recipe.size.longest if recipe.tokens.pack == "concat" else room)
        self.offers = Offers(recipe, screen, encoder, self.cells)
        self.asked: defaultdict[Place, int] = defaultdict(int)
        stocks: list[Stock] = [open_stock(source, self.offers, room, at) for at, source in enumerate(sources)]
        self.taking = Taking(stocks, self.cells, recipe.tokens.pack, advance, order)
        self._recipe = recipe
        self._sources = sources
        self._prefix = len(encoder.prefix)
        self._shares = shares_of(recipe, sources)

    def fill(self, shares: Shares) -> list[Segment]:
        """Take what the recipe asks for, in these shares; short where the sources are.

        When it is asked again, it begins anew, with the same texts to choose from.
        """
        self._shares = shares
        self.asked.clear()
        if self._recipe.tokens.pack == "none":
            self._fill_sequences()
        else:
            self._fill_cells(self.room)
        return self.taking.segments()

    def fill_more(self, room: int) -> list[Segment]:
        """Take ``room`` tokens more, in the same shares, for sequences that packing could not fill."""
        before = self.taking.count()
        for cell, tokens in self._goals(room, self._none()).items():
            self.taking.fill(cell, self._split(cell, tokens))
        return self.taking.segments()[before:]

    def close(self) -> None:
        """Settle what was taken, for the draws to come."""
        self.taking.close()
        for source in self._sources:
            if source.scanned is not None:
                self.offers.drops.add_rows(source.task, source.scanned)

    @property
    def room(self) -> int:
        """Tokens that documents have in the set."""
        size = self._recipe.size
        return size.total - size.count * self._prefix

    def margins(self) -> list[Margin]:
        """What is asked of the whole set, as sums over cells."""
        return self.cells.margins(split_quota(self.room, self._shares.tasks), self._spoken())

    def wanted(self) -> dict[Cell, float]:
        """Tokens of every cell if all could be had."""
        return self.cells.wanted(split_quota(self.room, self._shares.tasks), self._spoken())

    def is_exhausted(self, index: int) -> bool:
        """Whether a source had nothing left when it was last asked."""
        return any(at == index for at, _ in self.taking.exhausted)

    def _fill_cells(self, room: int) -> None:
        """Share the tokens out to the cells; what some turn out to lack, others make up for in the margins."""
        supply = self._none()
        goals = self._goals(room, supply)
        for cell, tokens in goals.items():
            self.asked |= {(index, cell): part for index, part in self._split(cell, tokens).items()}
        while True:
            self.taking.start_again()
            for cell, tokens in goals.items():
                self.taking.fill(cell, self._split(cell, tokens))
            lacking = {cell: self.taking.of_cell(cell) for cell in goals if self._is_dry(cell, goals[cell])}
            if self.cells.plain or lacking.keys() <= supply.keys():
                break
            supply |= lacking
            goals = self._goals(room, supply)
        if not self.cells.plain and self._recipe.tokens.pack == "concat":
            self.taking.top_up(goals)

    def _is_dry(self, cell: Cell, goal: int) -> bool:
        """Whether a cell's sources have nothing left, and gave less than was asked."""
        own = self._own(cell)
        dry = all((index, cell) in self.taking.exhausted for index in own)
        return self.taking.of_cell(cell) < goal and dry

    def _goals(self, room: int, supply: Mapping[Cell, int]) -> dict[Cell, int]:
        quotas, spoken = split_quota(room, self._shares.tasks), self._spoken()
        wanted = self.cells.wanted(quotas, spoken)
        spans = {cell: self.cells.span(cell) for cell in wanted}
        return allocate(self.cells.margins(quotas, spoken), wanted, supply, spans)

    def _none(self) -> dict[Cell, int]:
        """No supply in cells for which no source is."""
        every = (cell for task in self._shares.tasks for cell in self.cells.of(task))
        return {cell: 0 for cell in every if not self._own(cell)}

    def _own(self, cell: Cell) -> list[int]:
        """The sources that can give texts of a cell."""
        return [
            index
            for index, source in enumerate(self._sources)
            if source.task == cell.task and source.can_give(cell.language, self.cells)
        ]

    def _spoken(self) -> dict[str, float]:
        """The part of each task's tokens that is asked of sources whose texts have a language."""
        found = {}
        for task in self._shares.tasks:
            weights = {
                index: self._shares.weights[index]
                for index, source in enumerate(self._sources)
                if source.task == task
            }
            silent = sum(weights[index] for index in weights if self._sources[index].languages == SILENT)
            found[task] = 1 - silent / total if (total := sum(weights.values())) else 1.0
        return found

    def _split(self, cell: Cell, tokens: int) -> dict[int, int]:
        """A cell's tokens by its sources' weights."""
        own = {str(index): self._shares.weights[index] for index in self._own(cell)}
        return {int(index): part for index, part in split_quota(tokens, own).items()} if any(own.values()) else {}

    def _fill_sequences(self) -> None:
        """One text a sequence: the next is always of the source and cell that lag furthest behind their share."""
        self.taking.start_again()
        lengths = self._recipe.size.lengths()
        room = [length - self._prefix for length in lengths]
        parts = {
            (index, cell): part
            for cell, tokens in self._goals(sum(room), self._none()).items()
            for index, part in self._split_exactly(cell, tokens).items()
        }
        wanted = {place: part / (sum(parts.values()) or 1) for place, part in parts.items()}
        for place, part in parts.items():
            self.taking.prepare(place, round(part))
        got = self.taking.got
        # What exhausted sources would have given: others must not take their place in the mix.
        missed: Counter[Place] = Counter()
        for length in room:
            total = got.total() + missed.total() + 1
            lag = {place: share * total - got[place] - missed[place] for place, share in wanted.items()}
            order = sorted(lag, key=lambda place: (-lag[place], place))
            first = order[0]
            # Cut by the packing alone, which gives the longest documents the longest sequences.
            own = [place for place in order if place[1] == first[1]]
            if not any(self.taking.take(place, self.cells.longest) for place in own):
                missed[first] += length
        whole = got.total() + missed.total()
        self.asked |= {place: round(whole * share) for place, share in wanted.items()}

    def _split_exactly(self, cell: Cell, tokens: int) -> dict[int, float]:
        own = {index: self._shares.weights[index] for index in self._own(cell)}
        return {index: tokens * weight / sum(own.values()) for index, weight in own.items()}


def mixed(segments: Sequence[Segment], seed: int, draw: int) -> Iterator[Segment]:
    """The segments in an order of their own for each draw, whatever their sources."""
    yield from sorted(segments, key=lambda segment: (stable_hash("mix", seed, draw, segment.piece), segment.piece))
