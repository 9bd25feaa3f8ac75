"""What a corpus is opened for, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from curator.corpora.corpus import Corpus
from curator.engine.interface import Workers
from curator.pipeline.steps.kinds import CODE_TASK
from curator.recipe.schema import Recipe
from curator.select.cells import NO_LANGUAGE, Cells
from curator.select.pieces import Stretch
from curator.select.scan import Rule, Scan
from curator.select.supply import FiniteSupply

# Languages of a source that say nothing of a text's own.
_OPEN = ("und", "mul")
# A text's length in tokens is only roughly known from its characters.
_OFF_EDGE = 1.1
_FEWEST_CHARS = 64
# Of a bin that begins at nothing, not most texts should be next to nothing.
_SPREAD = 4


@dataclass(frozen=True, slots=True)
class Use:
    """What a corpus is opened for.

    Attributes:
        task: the task that its texts count for.
        weight: its share within the task.
        workers: processes that read it, or an engine.
        language: BCP 47; ``None`` when every row tells its own.
        without_heldout: see `Rule`.
        own_tasks: see `Rule`.
        low_continuity: see `Rule`.
    """

    task: str
    weight: float
    workers: Workers
    language: str | None
    without_heldout: bool = False
    own_tasks: bool = False
    low_continuity: bool = False

    def languages(self) -> frozenset[str] | None:
        """The languages of its texts; ``None`` when they are told, or found, text by text."""
        if self.task == CODE_TASK:
            return frozenset({NO_LANGUAGE})
        return frozenset({self.language}) if self.language and self.language not in _OPEN else None

    def rule(self, recipe: Recipe, chars_per_token: float) -> Rule:
        """How its documents become pieces."""
        return Rule(
            task=self.task,
            chars=max(int(recipe.size.longest * chars_per_token), _FEWEST_CHARS),
            seed=recipe.seed,
            without_heldout=self.without_heldout,
            own_tasks=self.own_tasks,
            low_continuity=self.low_continuity,
            stretches=tuple(self._stretches(recipe, chars_per_token)),
        )

    def _stretches(self, recipe: Recipe, chars_per_token: float) -> Iterator[Stretch]:
        """Lengths in characters for the task's length bins; none where any length will do."""
        cells = Cells(recipe.target, recipe.size.longest)
        for one in () if cells.is_free(self.task) else cells.bins(self.task):
            middle = (one.low + one.high) / 2
            low = min(max(one.low * _OFF_EDGE, one.high / _SPREAD), middle) * chars_per_token
            high = max(one.high / _OFF_EDGE, middle) * chars_per_token
            if one.share:
                yield Stretch(max(round(low), 1), max(round(high), 1), one.share)


def told_of_reading(supply: FiniteSupply) -> list[str]:
    """A word where a source cannot be read in an order of the seed."""
    count = supply.from_start
    such = (
        "can only be read from the start (compressed, or of a format without lines), as far as the set needs; "
        "decompress or shuffle what is sorted"
    )
    return [f"{count} {'file' if count == 1 else 'files'} {such}"] if count else []


def read_so_far(name: str, supply: FiniteSupply) -> str:
    """How far a source was read, for people who wait."""
    found = f"{name}: {supply.found.documents:,} documents"
    if supply.ended or not supply.size:
        return f"{found}, all that there are"
    return f"{found}, {supply.read / 1e6:,.0f} of {supply.size / 1e6:,.0f} MB; more when the set needs them"


def unusable(corpus: Corpus, found: Scan) -> str:
    """Why a source gives no text at all."""
    rows = found.bad.total() + found.documents
    if not rows:
        return f"{corpus.name}: the source is empty"
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(found.bad.items()))
    first = next((shown[0] for shown in found.examples.values()), None)
    such = f"; the first: {first.where}: {first.detail}" if first else ""
    return f"{corpus.name}: 0 of {rows} rows can be used ({reasons}){such}"
