"""Language, where the recipe keeps some only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.language import check_language, detect_language
from curator.pipeline.steps.kinds import is_code
from curator.pipeline.steps.step import Measured, Step, each
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece


def language_step(gates: Gates) -> Step:
    """Score ``language``: BCP 47, as found. Code is not looked at."""

    def applies(document: Document) -> bool:
        return bool(gates.of(document.task).language) and not is_code(document) and not document.low_continuity

    def measure(piece: Piece) -> Measured:
        gate = gates.of(piece.document.task).language
        return piece, {"language": detect_language(piece.text, gate.detector if gate else "langdetect")}

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = gates.of(document.task).language
        return check_language(scores["language"], gate.allow) if gate else None

    return Step("language", applies, each(measure), decide, ("language",))
