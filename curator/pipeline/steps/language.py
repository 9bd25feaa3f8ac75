"""Language, where the recipe keeps some only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.language import DEFAULT_DETECTOR, check_language, detect_languages
from curator.pipeline.steps.kinds import is_code
from curator.pipeline.steps.step import Measured, Step, by_task
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece


def language_step(gates: Gates) -> Step:
    """Score ``language``: BCP 47, as found. Code is not looked at."""
    of_task = by_task(gates)

    def applies(document: Document) -> bool:
        return bool(of_task(document.task).language) and not is_code(document) and not document.low_continuity

    def measure_all(pieces: Sequence[Piece]) -> list[Measured]:
        gates_of = [of_task(piece.document.task).language for piece in pieces]
        detectors = [gate.detector if gate else DEFAULT_DETECTOR for gate in gates_of]
        found: dict[int, str] = {}
        for detector in dict.fromkeys(detectors):
            places = [place for place, wanted in enumerate(detectors) if wanted == detector]
            languages = detect_languages([pieces[place].text for place in places], detector)
            found |= zip(places, languages, strict=True)
        return [(piece, {"language": found[place]}) for place, piece in enumerate(pieces)]

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = of_task(document.task).language
        return check_language(scores["language"], gate.allow) if gate else None

    return Step("language", applies, measure_all, decide, ("language",))
