"""Taking texts from sources until every cell of the target has its share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from curator._seed import stable_hash
from curator.pipeline.offers import Offers
from curator.pipeline.open_source import OpenSource
from curator.pipeline.plan import Plan, Shares, shares_of
from curator.pipeline.screen import Screen
from curator.pipeline.stock import Stock, open_stock
from curator.pipeline.taken import Place
from curator.pipeline.taking import Order, Taking
from curator.pipeline.whole import Whole
from curator.recipe.schema import Recipe
from curator.select.cells import Cell, Cells
from curator.tokens.encode import Encoder
from curator.tokens.pack import Packed, Segment, pack, pack_laid_out

Advance = Callable[[int], None]


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
        plan: what is asked.
        asked: tokens asked of each source for each cell.
        offers: what was judged and refused.
        taking: what was taken.
        scale: the part of the sequences' tokens that texts have where each has a sequence to itself; 1 elsewhere.
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
        cells = Cells(recipe.target, recipe.size.longest if recipe.tokens.pack == "concat" else room)
        self.offers = Offers(recipe, screen, encoder, cells)
        self.asked: defaultdict[Place, int] = defaultdict(int)
        stocks: list[Stock] = [open_stock(source, self.offers, room, at) for at, source in enumerate(sources)]
        self.taking = Taking(stocks, cells, recipe.tokens.pack, advance, order)
        self.scale = 1.0
        self._recipe = recipe
        self._sources = sources
        self._encoder = encoder
        self._layout: list[list[str]] = []
        self._cells = cells
        self.plan = self._planned(shares_of(recipe, sources))

    def fill(self, shares: Shares) -> list[Segment]:
        """Take what the recipe asks for, in these shares; short where the sources are.

        When it is asked again, it begins anew, with the same texts to choose from.
        """
        self.plan = self._planned(shares)
        self.asked.clear()
        self.taking.exhausted.clear()
        if self._recipe.tokens.pack == "none":
            self._fill_sequences()
        else:
            self._fill_cells()
        return self.taking.segments()

    def pack(self, draw: int) -> Packed:
        """Put what was taken into sequences, in an order of the draw's own."""
        order = list(mixed(self.taking.segments(), self._recipe.seed, draw))
        how, lengths = self._recipe.tokens.pack, self._recipe.size.lengths()
        if how == "bfd":
            return pack_laid_out(self._laid_out(order), lengths, self._encoder.prefix)
        return pack(order, lengths, self._encoder.prefix, how)

    def close(self) -> None:
        """Settle what was taken, for the draws to come."""
        self.taking.close()
        for source in self._sources:
            if source.scanned is not None:
                self.offers.drops.add_rows(source.task, source.scanned)

    @property
    def keeps_whole(self) -> bool:
        """Whether no text is cut but to fill a gap."""
        return self._recipe.tokens.pack == "bfd"

    def is_exhausted(self, index: int) -> bool:
        """Whether a source had nothing left when it was asked for more."""
        return any(at == index for at, _ in self.taking.exhausted)

    def _planned(self, shares: Shares) -> Plan:
        size = self._recipe.size
        return Plan(self._cells, self._sources, shares, size.total - size.count * len(self._encoder.prefix))

    def _fill_cells(self) -> None:
        """Share the tokens out to the cells; what some turn out to lack, others make up for in the margins."""
        supply = self.plan.impossible()
        goals = self.plan.goals(supply)
        for cell, tokens in goals.items():
            self.asked |= {(index, cell): part for index, part in self.plan.split(cell, tokens).items()}
        while True:
            self._take(goals)
            lacking = {cell: self.taking.of_cell(cell) for cell in goals if self._is_dry(cell, goals[cell])}
            if self._cells.plain or lacking.keys() <= supply.keys():
                break
            supply |= lacking
            goals = self.plan.goals(supply)
        if not self._cells.plain and self._recipe.tokens.pack == "concat":
            self.taking.top_up(goals)

    def _take(self, goals: Mapping[Cell, int]) -> None:
        self.taking.start_again()
        wanted = {cell: self.plan.split(cell, tokens) for cell, tokens in goals.items()}
        if self.keeps_whole:
            rooms = [length - len(self._encoder.prefix) for length in self._recipe.size.lengths()]
            whole = Whole(self.taking, wanted, rooms)
            whole.fill()
            self._layout = whole.gaps.names
            return
        for cell, parts in wanted.items():
            self.taking.fill(cell, parts)

    def _laid_out(self, order: Sequence[Segment]) -> list[list[Segment]]:
        """The segments of each sequence, in this order, but what is cut comes last: nothing follows its stump."""
        ranks = {one.piece: (one.cut > 0, at, one) for at, one in enumerate(order)}
        return [
            [ranks[name][2] for name in sorted(names, key=lambda name: ranks[name][:2])] for names in self._layout
        ]

    def _is_dry(self, cell: Cell, goal: int) -> bool:
        """Whether a cell's sources have nothing left, and gave less than was asked."""
        own = self.plan.own(cell)
        dry = all((index, cell) in self.taking.exhausted for index in own)
        return self.taking.of_cell(cell) < goal and dry

    def _fill_sequences(self) -> None:
        """One text a sequence: the next is always of the source and cell that lag furthest behind their share."""
        self.taking.start_again()
        lengths = self._recipe.size.lengths()
        room = [length - len(self._encoder.prefix) for length in lengths]
        parts = {
            (index, cell): part
            for cell, tokens in self.plan.goals(self.plan.impossible()).items()
            for index, part in self.plan.parts(cell, tokens).items()
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
            if not any(self.taking.take(place, self._cells.longest) for place in own):
                missed[first] += length
        whole = got.total() + missed.total()
        self.scale = whole / (self.plan.room or 1)
        self.asked |= {place: round(whole * share) for place, share in wanted.items()}


def mixed(segments: Sequence[Segment], seed: int, draw: int) -> Iterator[Segment]:
    """The segments in an order of their own for each draw, whatever their sources."""
    yield from sorted(segments, key=lambda segment: (stable_hash("mix", seed, draw, segment.piece), segment.piece))
