"""Where a recipe draws its lines on the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from curator.recipe.added_gates import added_gates
from curator.recipe.gate_settings import Gates
from curator.recipe.schema import Continuity, Recipe
from curator.scores.continuity import AUTO_MIN, MEAN_BAND, MIN_SENTENCES_TO_REJECT, SD_BAND

# Reasons that several scores can give: which of them it was is told by its side of the line.
_SHARED = frozenset({"random_text", "repetition", "continuity_band"})


@dataclass(frozen=True, slots=True)
class Limit:
    """A line on one score.

    Attributes:
        score: the score's name.
        value: where the line lies.
        refused: the side on which texts are refused.
        reason: why they are, as in `Drop`.
    """

    score: str
    value: float
    refused: Literal["below", "above"]
    reason: str

    def has_refused(self, reason: str | None, value: float) -> bool:
        """Whether a text with this score was refused by this line."""
        is_beyond = value <= self.value if self.refused == "below" else value >= self.value
        return reason == self.reason and (is_beyond or reason not in _SHARED)

    def decides(self, scores: Mapping[str, Any], value: float, *, keep: bool) -> bool:
        """Whether a text's fate hangs on this line: short ones meet none on continuity, and some are exempt."""
        if self.score.startswith("continuity") and scores.get("sentences", 0) < MIN_SENTENCES_TO_REJECT:
            return False
        return not keep or (value >= self.value if self.refused == "below" else value <= self.value)


def limits_of(recipe: Recipe, task: str) -> list[Limit]:
    """The lines that texts of a task meet, in the order in which the gates are asked."""
    return [*_gate_limits(recipe.gates.of(task)), *_continuity_limits(recipe.continuity), *_last(recipe.gates)]


def _gate_limits(gates: Gates) -> Iterator[Limit]:
    if gates.length:
        yield Limit("chars", gates.length.min_chars, "below", "short")
    if gates.random_text:
        yield Limit("random_share", gates.random_text.max_share, "above", "random_text")
        yield Limit("random_stretch", gates.random_text.max_stretch, "above", "random_text")
    if gates.repetition:
        yield Limit("repeated_lines", gates.repetition.max_lines, "above", "repetition")
        yield Limit("repeated_ngrams", gates.repetition.max_ngrams, "above", "repetition")
        yield Limit("compression", gates.repetition.max_compression, "above", "repetition")
    for name, gate in added_gates().items():
        if settings := getattr(gates, name):
            yield Limit(gate.score, float(gate.limit(settings)), gate.refused, name)
    if gates.near_duplicates:
        yield Limit("near_duplicate", gates.near_duplicates.jaccard, "above", "near_duplicate")
    if gates.personal_data and gates.personal_data.action == "refuse":
        yield Limit("personal_data", 1, "above", "personal_data")


def _continuity_limits(continuity: Continuity) -> Iterator[Limit]:
    if continuity.min is False:
        return
    yield Limit("continuity", AUTO_MIN if continuity.min == "auto" else continuity.min, "below", "continuity")
    for name, (low, high) in (("continuity_mean", MEAN_BAND), ("continuity_sd", SD_BAND)):
        yield Limit(name, low, "below", "continuity_band")
        yield Limit(name, high, "above", "continuity_band")


def _last(gates: Gates) -> Iterator[Limit]:
    if gates.semantic_duplicates:
        yield Limit("semantic_duplicate", gates.semantic_duplicates.cosine, "above", "semantic_duplicate")
