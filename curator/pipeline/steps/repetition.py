"""Text that says one thing again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.repetition import Repetition, check_repetition, measure_repetitions
from curator.pipeline.steps.step import Measured, Scores, Step, by_task
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece

_NAMES = ("repeated_lines", "repeated_ngrams", "compression")


def repetition_step(gates: Gates) -> Step:
    """Scores ``repeated_lines``, ``repeated_ngrams`` and ``compression``.

    Documents that lack continuous meaning on purpose are not judged.
    """
    of_task = by_task(gates)

    def applies(document: Document) -> bool:
        return bool(of_task(document.task).repetition) and not document.low_continuity

    def measure_all(pieces: Sequence[Piece]) -> list[Measured]:
        found = measure_repetitions([piece.text for piece in pieces])
        return [(piece, _scores(one)) for piece, one in zip(pieces, found, strict=True)]

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = of_task(document.task).repetition
        if not gate:
            return None
        found = Repetition(*(scores[name] for name in _NAMES))
        return check_repetition(found, gate.max_lines, gate.max_ngrams, gate.max_compression)

    return Step("repetition", applies, measure_all, decide, _NAMES)


def _scores(found: Repetition) -> Scores:
    values = (found.lines, found.ngrams, found.compression)
    return {name: round(value, 4) for name, value in zip(_NAMES, values, strict=True)}
