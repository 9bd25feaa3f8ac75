"""Length and licence: what can be told without reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.length import check_length, visible_chars
from curator.gates.licences import check_licence
from curator.pipeline.steps.kinds import is_generated
from curator.pipeline.steps.step import Measured, Step, by_task, each
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece


def length_step(gates: Gates) -> Step:
    """Score ``chars``: visible characters. Conversations and generated texts are only refused when blank."""
    of_task = by_task(gates)

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = of_task(document.task).length
        # A generated text is as long as the recipe's sequences make it: a short one is no accident.
        judged = document.messages is None and not is_generated(document)
        return check_length(scores["chars"], gate.min_chars if gate and judged else 1)

    def measure(piece: Piece) -> Measured:
        return piece, {"chars": visible_chars(piece.text)}

    return Step("length", lambda _: True, each(measure), decide, ("chars",))


def licence_step(gates: Gates) -> Step:
    """No score: the licence is the document's own."""

    def decide(document: Document, _scores: Mapping[str, Any]) -> Drop | None:
        gate = gates.licence
        return check_licence(document.licence, gate.allow, gate.forbid) if gate else None

    return Step("licence", lambda _: bool(gates.licence), each(lambda piece: (piece, {})), decide, ())
