"""Steps of the gates that installed packages add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.pipeline.steps.step import Measured, Step, each
from curator.recipe.added_gates import AddedGate, added_gates
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece


def added_steps(gates: Gates) -> list[Step]:
    """A step for every added gate that the recipe asks for."""
    return [
        _step(name, gate, settings) for name, gate in added_gates().items() if (settings := getattr(gates, name))
    ]


def _step(name: str, gate: AddedGate, settings: Any) -> Step:
    def measure(piece: Piece) -> Measured:
        return piece, {gate.score: float(gate.measure(piece.text))}

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        value, limit = scores[gate.score], float(gate.limit(settings))
        if (value < limit) if gate.refused == "above" else (value > limit):
            return None
        return Drop(name, f"{gate.score} {value:.4g}, limit {limit:.4g}")

    return Step(name, lambda _: True, each(measure), decide, (gate.score,))
