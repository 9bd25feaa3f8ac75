"""Refusal of texts with personal data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from curator.gates.drop import Drop
from curator.gates.personal_data.finding import KINDS, PersonalData


def count_kinds(found: Iterable[PersonalData]) -> dict[str, int]:
    """How many finds there are of each kind that was found."""
    kinds = [one.kind for one in found]
    return {kind: kinds.count(kind) for kind in KINDS if kind in kinds} if kinds else {}


def check_personal_data(counts: Mapping[str, int], max_count: int = 0) -> Drop | None:
    """Refuse text with more than ``max_count`` finds; the values themselves are never told."""
    if sum(counts.values()) <= max_count:
        return None
    return Drop("personal_data", ", ".join(f"{count} {kind}" for kind, count in counts.items()))
