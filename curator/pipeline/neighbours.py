"""Texts of a set that say something like an evaluation item in other words: for people to look at, no gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curator.gates.leakage import EvalItem, nearest_items
from curator.pipeline.steps.continuity import sentences_for
from curator.pipeline.steps.kinds import is_code
from curator.scores.scorer import Scorer
from curator.scores.sentences import sentence_spans
from curator.select.pieces import Piece

_SHOWN = 10
# Of an item whose question is not told apart from its passage, so much is embedded.
_ITEM_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A text and the evaluation item that it is nearest to.

    Attributes:
        item: the item's id.
        piece: the text's id.
        cosine: of their mean sentence vectors.
    """

    item: str
    piece: str
    cosine: float


def nearest_to_evaluation(pieces: Sequence[Piece], items: Sequence[EvalItem], scorer: Scorer) -> list[Neighbour]:
    """The ten texts nearest to an evaluation item, the nearest first. Code is left out.

    Args:
        pieces: what is in the set.
        items: of the evaluation; of each its question, or the beginning of its text.
        scorer: gives the vectors, from its store where the texts were scored.
    """
    prose = [piece for piece in pieces if not is_code(piece.document)]
    if not prose or not items:
        return []
    texts = np.stack([scorer.score(sentences_for(piece)).vector for piece in prose])
    asked = np.stack([scorer.score(sentence_spans(_asked(item))).vector for item in items])
    found = [
        Neighbour(items[near.items[0]].id, piece.id, round(float(near.cosines[0]), 4))
        for piece, near in zip(prose, nearest_items(texts, asked, 1), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.cosine, one.piece))[:_SHOWN]


def _asked(item: EvalItem) -> str:
    question = " ".join(item.text[start:end] for start, end in item.asked)
    return (question or item.text)[:_ITEM_CHARS]
