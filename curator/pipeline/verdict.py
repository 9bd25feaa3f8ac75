"""What the chain found about one piece."""

from __future__ import annotations

from dataclasses import dataclass

from curator.gates.drop import Drop
from curator.pipeline.steps.step import Scores
from curator.select.pieces import Piece


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about a piece.

    Attributes:
        piece: as it is to be used: the recipe may ask for parts to be cut out or masked.
        drop: a refusal, or none.
        scores: everything that was measured before the first refusal.
        language: as the source says, else as found where languages are looked at.
    """

    piece: Piece
    drop: Drop | None
    scores: Scores
    language: str
