"""Is there enough text? Asked before any model is touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from curator.engine.local import usable_cores
from curator.pipeline.least_lengths import TooShort, too_short_by_recipe
from curator.pipeline.open_source import OpenSource
from curator.pipeline.plan import Plan, shares_of
from curator.pipeline.sources import open_sources
from curator.recipe.load import LoadedRecipe
from curator.select.cells import Cell, Cells, Margin
from curator.select.quotas import split_quota

# A margin may miss its share of the tokens by this much.
_TOLERANCE = 0.02
# Tasks and languages named in a cure.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class BadRows:
    """Rows of a source that cannot be used.

    Attributes:
        reason: why, as in `BadRow`.
        count: how many.
        where: places of the first few.
    """

    reason: str
    count: int
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SupplyLine:
    """One source's pool against what a run takes from it.

    Attributes:
        source: its name, with its languages where another of the task has the same.
        task: the task it is for.
        pool_tokens: rough tokens it can give; ``None`` when there is no end, or it was not asked.
        needed_tokens: tokens wanted from it: set size x its share x draws; 0 where others give all.
        remote: a hub holds it, which is not asked here.
        rows: rows read, good and bad; 0 when it was not read.
        bad: those that cannot be used, by reason.
        notes: what the user should know about it.
    """

    source: str
    task: str
    pool_tokens: int | None
    needed_tokens: int
    remote: bool = False
    rows: int = 0
    bad: tuple[BadRows, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Pool over need; below 1 there is too little, below about 1.5 the gates may make it so."""
        if self.pool_tokens is None or not self.needed_tokens:
            return None
        return self.pool_tokens / self.needed_tokens

    def bad_words(self) -> str:
        """How many rows cannot be used, why, and where the first of each kind is; empty when all can."""
        if not self.bad:
            return ""
        count = sum(one.count for one in self.bad)
        reasons = ", ".join(f"{one.reason} {one.count:,} ({one.where[0]})" for one in self.bad)
        return f"{self.source}: {count:,} of {self.rows:,} rows cannot be used: {reasons}"


@dataclass(frozen=True, slots=True)
class SupplyCheck:
    """Whether there is enough text.

    Attributes:
        lines: pool, need and bad rows of every source, in the order of the recipe.
        gaps: what the target asks and no source can give, in words.
    """

    lines: list[SupplyLine]
    gaps: list[str]


def check_supply(loaded: LoadedRecipe, draws: int) -> SupplyCheck:
    """Look at all sources of a recipe. No network is used.

    Raises:
        RecipeError: a source cannot be opened.
    """
    recipe = loaded.recipe
    sources = open_sources(loaded, usable_cores(), remote=False)
    quotas = split_quota(recipe.size.total * draws, recipe.target.shares())
    lines = []
    names = Counter((source.name, source.task) for source in sources)
    for source in sources:
        own = [other for other in sources if other.task == source.task]
        # Rows that tell their own tasks may have none of this one: the others give it all.
        giving = [other for other in own if other.pool_tokens() != 0] or own
        asked = source.weight if any(source is other for other in giving) else 0
        needed = quotas[source.task] * asked / sum(other.weight for other in giving)
        line = _line(source, max(round(needed), 1) if asked else 0)
        several = names[source.name, source.task] > 1 and source.languages
        lines.append(replace(line, source=f"{source.name} ({', '.join(sorted(several))})") if several else line)
    return SupplyCheck(lines, _gaps(loaded, sources))


def _gaps(loaded: LoadedRecipe, sources: list[OpenSource]) -> list[str]:
    """Margins that stay short even when every source has endless texts of its languages and of all lengths.

    Of generators it is known below which length they make none. Languages that no source gives are the cause, and
    come first: what tasks and lengths lack follows from them.
    """
    recipe = loaded.recipe
    plan = Plan(Cells(recipe.target, recipe.size.longest), sources, shares_of(recipe, sources), recipe.size.total)
    short = too_short_by_recipe(loaded, sources)
    if plan.cells.plain and not short:
        return []
    impossible = plan.impossible() | dict.fromkeys(short, 0)
    found = plan.goals(impossible)
    gaps = []
    for margin in sorted(plan.margins(), key=lambda one: "languages" not in one.where):
        missing = margin.tokens - sum(found[cell] for cell in margin.cells)
        if missing > _TOLERANCE * plan.room:
            asked, given = margin.tokens / plan.room, (margin.tokens - missing) / plan.room
            place = loaded.asked.get(margin.where, loaded.path)
            gaps.append(
                f"{place}: target: {margin.name} has {asked:.1%} of the tokens, and sources give {given:.1%} at "
                f"most; {_cure(margin, impossible, short)}"
            )
    return gaps


def _cure(margin: Margin, impossible: Mapping[Cell, int], short: Mapping[Cell, TooShort]) -> str:
    unmade = [short[cell] for cell in sorted(margin.cells) if cell in short]
    if unmade:
        return min(unmade, key=lambda one: one.least).words()
    lacking = [cell for cell in margin.cells if cell in impossible]
    pairs = sorted({(cell.task, cell.language) for cell in lacking})
    if not pairs:
        return "lower its share"
    words = " or ".join(f"{task} in {language}" if language else task for task, language in pairs[:_TOLD])
    return f"add a source of {words}, or lower its share"


def _line(source: OpenSource, needed: int) -> SupplyLine:
    found = source.scanned
    bad: tuple[BadRows, ...] = ()
    rows = 0
    if found is not None:
        bad = tuple(
            BadRows(reason, count, tuple(row.where for row in found.examples[reason]))
            for reason, count in sorted(found.bad.items())
        )
        rows = found.documents + found.other_tasks.total() + found.bad.total()
    return SupplyLine(
        source=source.name,
        task=source.task,
        pool_tokens=source.pool_tokens(),
        needed_tokens=needed,
        remote=source.remote,
        rows=rows,
        bad=bad,
        notes=source.notes,
    )
