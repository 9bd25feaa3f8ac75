"""Versions of what is measured: scores of other versions are not comparable."""

from __future__ import annotations

from curator.gates import duplicates, language, random_text, repetition
from curator.scores import continuity

MEASURES: dict[str, str] = {
    "continuity": continuity.VERSION,
    "duplicates": duplicates.VERSION,
    "language": str(language.VERSION),
    "random_text": random_text.VERSION,
    "repetition": repetition.VERSION,
}
