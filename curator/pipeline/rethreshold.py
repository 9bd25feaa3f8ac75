"""Other limits on stored scores: no text is read and nothing is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curator.gates.drop import Drop
from curator.pipeline.pool import PoolRow
from curator.pipeline.steps.step import Step
from curator.recipe.schema import Recipe

UNSCORED = "unscored"
# What only sets a line on a stored score; any other setting changes what is measured.
_LINES = {
    "length": {"min_chars"},
    "random_text": {"max_share", "max_stretch"},
    "repetition": {"max_lines", "max_ngrams", "max_compression"},
    "duplicates": set[str](),
    "near_duplicates": {"jaccard"},
    "semantic_duplicates": {"cosine"},
    "language": {"allow"},
    "licence": {"allow", "forbid"},
    "personal_data": set[str](),
    "leakage": set[str](),
}


@dataclass(frozen=True, slots=True)
class Redecided:
    """A row of the pool under other limits.

    Attributes:
        row: as it was.
        keep: whether it is kept now.
        reason: why it is not: that of a gate, or ``unscored`` where no gate refuses what was measured but an
            earlier refusal kept a later score from being measured.
        detail: the value against the limit, or what is not known, in words.
    """

    row: PoolRow
    keep: bool
    reason: str | None
    detail: str | None

    @property
    def id(self) -> str:
        """See `Judged`."""
        return self.row.id

    @property
    def task(self) -> str:
        """See `Judged`."""
        return self.row.task

    @property
    def scores(self) -> dict[str, Any]:
        """See `Judged`."""
        return self.row.scores

    @property
    def text(self) -> str:
        """See `Judged`."""
        return self.row.text


def rethreshold(rows: Sequence[PoolRow], steps: Sequence[Step]) -> list[Redecided]:
    """Decide every row again.

    Args:
        rows: the pool.
        steps: the chain of the recipe that sets the limits; nothing is measured by it.
    """
    return [_decided(row, steps) for row in rows]


def _decided(row: PoolRow, steps: Sequence[Step]) -> Redecided:
    document = row.as_document()
    for step in steps:
        if not step.applies(document):
            continue
        # What found nothing may have stored its first score alone.
        if step.scores and not any(name in row.scores for name in step.scores):
            return Redecided(row, False, UNSCORED, f"{step.scores[0]} was not measured")
        drop: Drop | None = step.decide(document, row.scores)
        if drop is not None:
            return Redecided(row, False, drop.reason, drop.detail)
    return Redecided(row, True, None, None)


def measured_otherwise(built: Recipe, wanted: Recipe) -> list[str]:
    """Settings that change what is measured and differ from those of the build: they have no effect here.

    Args:
        built: the recipe that the pool was made by.
        wanted: the one that sets the limits.

    Returns:
        Their names, such as ``gates.language.detector``.
    """
    found = [
        f"gates.{gate}.{key}"
        for gate, lines in _LINES.items()
        for key in _different(getattr(built.gates, gate), getattr(wanted.gates, gate))
        if key not in lines
    ]
    found += [f"continuity.{key}" for key in _different(built.continuity, wanted.continuity) if key != "min"]
    old, new = built.gates.near_duplicates, wanted.gates.near_duplicates
    if old and new and new.jaccard < old.jaccard:
        found.append("gates.near_duplicates.jaccard (pairs below the build's were not looked for)")
    alike, wanted_alike = built.gates.semantic_duplicates, wanted.gates.semantic_duplicates
    if alike and wanted_alike and wanted_alike.cosine < alike.cosine:
        found.append("gates.semantic_duplicates.cosine (pairs below the build's were not looked for)")
    return found


def _different(built: Any, wanted: Any) -> list[str]:
    """Keys of one setting that differ; none where it is off on either side."""
    if not built or not wanted:
        return []
    old, new = built.model_dump(), wanted.model_dump()
    return [key for key in new if old[key] != new[key]]
