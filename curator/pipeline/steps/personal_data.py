"""Personal data and secrets: masked, or the text refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from curator.corpora.document import Document, conversation_text
from curator.gates.drop import Drop
from curator.gates.personal_data.check import check_personal_data, count_kinds
from curator.gates.personal_data.find import find_personal_data
from curator.gates.personal_data.finding import KINDS, PersonalData
from curator.gates.personal_data.mask import mask_personal_data
from curator.pipeline.steps.step import Measured, Step, by_task, each, with_text
from curator.recipe.gate_settings import Gates, PersonalDataGate
from curator.select.pieces import Piece

_PREFIX = "personal_"


def personal_data_step(gates: Gates) -> Step:
    """Scores ``personal_data``, the number of finds, and that of each kind. Masks where the recipe says so."""
    of_task = by_task(gates)

    def applies(document: Document) -> bool:
        return bool(of_task(document.task).personal_data)

    def measure(piece: Piece) -> Measured:
        gate = of_task(piece.document.task).personal_data
        found = _count(piece.text, gate) if gate else {}
        if gate and gate.action == "mask" and found:
            piece = _masked(piece, gate)
        return piece, {"personal_data": sum(found.values()), **{_PREFIX + kind: n for kind, n in found.items()}}

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = of_task(document.task).personal_data
        counts = {kind: scores[_PREFIX + kind] for kind in KINDS if scores.get(_PREFIX + kind)}
        return check_personal_data(counts) if gate and gate.action == "refuse" else None

    names = ("personal_data", *(_PREFIX + kind for kind in KINDS))
    return Step("personal_data", applies, each(measure), decide, names)


def _count(text: str, gate: PersonalDataGate) -> dict[str, int]:
    return count_kinds(_found(text, gate))


def _found(text: str, gate: PersonalDataGate) -> tuple[PersonalData, ...]:
    return tuple(found for found in find_personal_data(text) if found.kind in gate.kinds)


def _masked(piece: Piece, gate: PersonalDataGate) -> Piece:
    def mask(text: str) -> str:
        return mask_personal_data(text, _found(text, gate))

    document = piece.document
    if document.messages is None:
        return with_text(piece, mask(piece.text))
    messages = tuple(
        dataclasses.replace(
            message,
            content=mask(message.content),
            reasoning=mask(message.reasoning),
            tool_calls=tuple(_masked_value(call, mask) for call in message.tool_calls),
        )
        for message in document.messages
    )
    text = conversation_text(messages)
    return Piece(piece.id, dataclasses.replace(document, text=text, messages=messages), 0, len(text))


def _masked_value(value: Any, mask: Callable[[str], str]) -> Any:
    """A JSON value with every string in it masked, those that are names of keys aside."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked_value(part, mask) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_masked_value(part, mask) for part in value]
    return value
