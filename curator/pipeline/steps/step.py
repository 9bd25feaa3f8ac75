"""What a step of the chain is: it measures pieces, and decides by the numbers alone."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy import int64
from numpy.typing import NDArray

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.recipe.gate_settings import Gates
from curator.select.pieces import Piece

Scores = dict[str, Any]
"""Measured values by name: numbers, words, or ``None`` for what could not be measured."""
Measured = tuple[Piece, Scores]
Keys = NDArray[int64]


@dataclass(frozen=True, slots=True)
class Step:
    """One gate or score.

    Attributes:
        name: the gate's name in a recipe.
        applies: whether documents of this kind meet it.
        measure_all: of each piece: the piece, changed where the recipe asks for that, and its scores. They are
            the same however many pieces are measured at once.
        decide: a refusal by stored scores, so that limits can be set after the fact; the scores of this step are
            there.
        scores: names of the scores that ``measure_all`` gives.
        remembers: whether the scores of a piece hang on those measured before it.
        keys: of each piece, for a step that remembers: pieces without a key in common never change each other's
            scores, so that they may be measured apart; ``None`` where all hang together.
        unlike: scores of a piece that has no key in common with another.
    """

    name: str
    applies: Callable[[Document], bool]
    measure_all: Callable[[Sequence[Piece]], list[Measured]]
    decide: Callable[[Document, Mapping[str, Any]], Drop | None]
    scores: tuple[str, ...]
    remembers: bool = False
    keys: Callable[[Sequence[Piece]], list[Keys]] | None = None
    unlike: Mapping[str, Any] = field(default_factory=dict)


def each(measure: Callable[[Piece], Measured]) -> Callable[[Sequence[Piece]], list[Measured]]:
    """Measures many pieces, for a step that gains nothing from seeing them together."""
    return lambda pieces: list(map(measure, pieces))


def by_task(gates: Gates) -> Callable[[str], Gates]:
    """The gates of each task. They are kept, since every step asks for those of every piece."""
    return functools.lru_cache(maxsize=256)(gates.of)


def with_text(piece: Piece, text: str) -> Piece:
    """The piece with other text in its place; what stands around it in its document stays."""
    old = piece.document.text
    document = dataclasses.replace(piece.document, text=old[: piece.start] + text + old[piece.end :])
    return Piece(piece.id, document, piece.start, piece.start + len(text))
