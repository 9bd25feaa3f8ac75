"""Texts that were there before: the same, nearly the same, or with the same meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.duplicates import Duplicates, check_duplicate, duplicate_keys
from curator.gates.near_duplicates import Near, NearDuplicates, check_near_duplicate, near_duplicate_keys
from curator.gates.semantic_duplicates import SemanticDuplicates, check_semantic_duplicate
from curator.pipeline.steps.continuity import sentences_for
from curator.pipeline.steps.step import Keys, Measured, Step, by_task, each
from curator.recipe.gate_settings import Gates
from curator.scores.scorer import Scorer
from curator.select.pieces import Piece


def duplicates_step(gates: Gates) -> Step:
    """Score ``duplicate_of``: who had the same text before. Remembers all that it is asked about."""
    seen = Duplicates()

    def measure(piece: Piece) -> Measured:
        return piece, {"duplicate_of": seen.owner(piece.id, piece.text)}

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        return check_duplicate(scores["duplicate_of"])

    return Step(
        "duplicates",
        lambda _: bool(gates.duplicates),
        each(measure),
        decide,
        ("duplicate_of",),
        remembers=True,
        keys=lambda pieces: duplicate_keys([piece.text for piece in pieces]),
        unlike={"duplicate_of": None},
    )


def near_duplicates_step(gates: Gates) -> Step:
    """Scores ``near_duplicate``, a Jaccard index, and ``near_duplicate_of``, whom it belongs to."""
    of_task = by_task(gates)
    general = gates.near_duplicates
    seen = NearDuplicates(general.jaccard if general else 1.0)

    def applies(document: Document) -> bool:
        return bool(of_task(document.task).near_duplicates)

    def measure_all(pieces: Sequence[Piece]) -> list[Measured]:
        found = seen.add_all([piece.id for piece in pieces], [piece.text for piece in pieces])
        return [
            (piece, {"near_duplicate": round(near.jaccard, 4), "near_duplicate_of": near.owner})
            for piece, near in zip(pieces, found, strict=True)
        ]

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        gate = of_task(document.task).near_duplicates
        if not gate:
            return None
        return check_near_duplicate(Near(scores["near_duplicate_of"], scores["near_duplicate"]), gate.jaccard)

    def keys(pieces: Sequence[Piece]) -> list[Keys]:
        return near_duplicate_keys([piece.text for piece in pieces], general.jaccard if general else 1.0)

    return Step(
        "near_duplicates",
        applies,
        measure_all,
        decide,
        ("near_duplicate", "near_duplicate_of"),
        remembers=True,
        keys=keys,
        unlike={"near_duplicate": 0.0, "near_duplicate_of": None},
    )


def semantic_duplicates_step(gates: Gates, scorer: Scorer) -> Step:
    """Scores ``semantic_duplicate``, the highest cosine with a kept text, and ``semantic_duplicate_of``."""
    gate = gates.semantic_duplicates
    seen = SemanticDuplicates(gate.cosine if gate else 1.0)

    def measure(piece: Piece) -> Measured:
        # Those of the continuity step, out of the store.
        owner, cosine = seen.add(piece.id, scorer.score(sentences_for(piece)).vector)
        return piece, {"semantic_duplicate": round(cosine, 4), "semantic_duplicate_of": owner}

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        owner, cosine = scores["semantic_duplicate_of"], scores["semantic_duplicate"]
        return check_semantic_duplicate(owner if gate and cosine >= gate.cosine else None, cosine)

    def applies(document: Document) -> bool:
        return bool(gate) and not document.low_continuity

    names = ("semantic_duplicate", "semantic_duplicate_of")
    return Step("semantic_duplicates", applies, each(measure), decide, names, remembers=True)
