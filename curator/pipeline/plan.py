"""What is asked of which source for which cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.pipeline.open_source import OpenSource
from curator.recipe.schema import Recipe
from curator.select.allocate import allocate
from curator.select.cells import NO_LANGUAGE, Cell, Cells, Margin
from curator.select.quotas import split_quota

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


class Plan:
    """Shares as tokens of cells and sources.

    Args:
        cells: the target's.
        sources: the recipe's.
        shares: what is asked of them.
        room: tokens that documents have in the set.
    """

    def __init__(self, cells: Cells, sources: Sequence[OpenSource], shares: Shares, room: int) -> None:
        self.cells = cells
        self.room = room
        self._sources = sources
        self._shares = shares

    def goals(self, supply: Mapping[Cell, int], room: int | None = None) -> dict[Cell, int]:
        """Tokens of each cell.

        Args:
            supply: the most that a cell can give, where it is known.
            room: tokens to share out; those of the whole set when left out.
        """
        quotas = split_quota(self.room if room is None else room, self._shares.tasks)
        wanted, spoken = self.wanted(quotas), self._spoken()
        spans = {cell: self.cells.span(cell) for cell in wanted}
        return allocate(self.cells.margins(quotas, spoken), wanted, supply, spans)

    def wanted(self, quotas: Mapping[str, int] | None = None) -> dict[Cell, float]:
        """Tokens of every cell if all could be had; by default of the whole set."""
        quotas = split_quota(self.room, self._shares.tasks) if quotas is None else quotas
        return self.cells.wanted(quotas, self._spoken())

    def margins(self) -> list[Margin]:
        """What is asked of the whole set, as sums over cells."""
        return self.cells.margins(split_quota(self.room, self._shares.tasks), self._spoken())

    def impossible(self) -> dict[Cell, int]:
        """No supply in cells for which no source has texts."""
        every = (cell for task in self._shares.tasks for cell in self.cells.of(task))
        return {cell: 0 for cell in every if not self.own(cell)}

    def own(self, cell: Cell) -> list[int]:
        """The sources that may have texts of a cell."""
        return [at for at in self._of(cell.task) if self._sources[at].can_give(cell.language, self.cells)]

    def _of(self, task: str) -> list[int]:
        """A task's sources; those without a row leave their weight to the others, if there are any."""
        own = [at for at, source in enumerate(self._sources) if source.task == task]
        return [at for at in own if not self._sources[at].is_empty] or own

    def split(self, cell: Cell, tokens: int) -> dict[int, int]:
        """A cell's tokens by its sources' weights."""
        own = {str(index): self._shares.weights[index] for index in self.own(cell)}
        return {int(index): part for index, part in split_quota(tokens, own).items()} if any(own.values()) else {}

    def parts(self, cell: Cell, tokens: int) -> dict[int, float]:
        """The same, not rounded."""
        own = {index: self._shares.weights[index] for index in self.own(cell)}
        return {index: tokens * weight / sum(own.values()) for index, weight in own.items() if weight}

    def _spoken(self) -> dict[str, float]:
        """The part of each task's tokens that is asked of sources whose texts have a language."""
        found = {}
        for task in self._shares.tasks:
            own = self._of(task)
            whole = sum(self._shares.weights[index] for index in own)
            silent = sum(self._shares.weights[index] for index in own if self._sources[index].languages == SILENT)
            found[task] = 1 - silent / whole if whole else 1.0
        return found
