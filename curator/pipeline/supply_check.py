"""Is there enough text? Asked before any model is touched."""

from __future__ import annotations

from dataclasses import dataclass

from curator.engine.local import usable_cores
from curator.pipeline.sources import open_sources
from curator.recipe.load import LoadedRecipe
from curator.select.quotas import split_quota


@dataclass(frozen=True, slots=True)
class SupplyLine:
    """One source's pool against what a run takes from it.

    Attributes:
        source: its name.
        task: the task it is for.
        pool_tokens: rough tokens it can give; ``None`` when there is no end, or it was not asked.
        needed_tokens: tokens wanted from it: set size x its share x draws.
        remote: a hub holds it, which is not asked here.
    """

    source: str
    task: str
    pool_tokens: int | None
    needed_tokens: int
    remote: bool = False

    @property
    def ratio(self) -> float | None:
        """Pool over need; below 1 there is too little, below about 1.5 the gates may make it so."""
        return None if self.pool_tokens is None else self.pool_tokens / self.needed_tokens


def check_supply(loaded: LoadedRecipe, draws: int) -> list[SupplyLine]:
    """Pool and need of every source, in the order of the recipe. No network is used.

    Raises:
        RecipeError: a source cannot be opened.
    """
    recipe = loaded.recipe
    sources = open_sources(loaded, usable_cores(), remote=False)
    quotas = split_quota(recipe.size.total * draws, recipe.target.shares())
    lines = []
    for source in sources:
        weights = sum(other.weight for other in sources if other.task == source.task)
        needed = round(quotas[source.task] * source.weight / weights)
        lines.append(SupplyLine(source.name, source.task, source.pool_tokens(), max(needed, 1), source.remote))
    return lines
