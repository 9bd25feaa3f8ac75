"""Texts of a set that are near to an evaluation item in meaning are shown, the nearest first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.corpora.document import Document
from curator.gates.leakage import EvalItem
from curator.pipeline.neighbours import nearest_to_evaluation
from curator.recipe.schema import Continuity
from curator.scores.scorer import Scorer
from curator.scores.store import ScoreStore
from curator.select.pieces import Piece

TOPICS = ("ferry", "kiln", "garden")


class ByTopic:
    """An embedder that knows three words."""

    banded = False
    fingerprint = "by topic"

    def encode(self, sentences: Sequence[str]) -> Any:
        vectors = np.array([[one.count(topic) for topic in TOPICS] for one in sentences], np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).reshape(-1, 3)

    def truncated(self, _sentences: Sequence[str]) -> int:
        return 0


@pytest.fixture
def scorer(tmp_path: Path) -> Scorer:
    return Scorer(Continuity(), encoder=ByTopic(), store=ScoreStore(pytest.fail, tmp_path))


def piece(name: str, text: str, task: str = "prose") -> Piece:
    return Piece(name, Document(name, "c", "u", task, "en", "MIT", text), 0, len(text))


ITEMS = [EvalItem("e1", "When does the ferry leave the island?"), EvalItem("e2", "How hot must the kiln be?")]


def test_the_nearest_item_of_each_text_is_told(scorer: Scorer) -> None:
    pieces = [
        piece("about-gardens", "The garden is open on every day of the week."),
        piece("about-kilns", "The kiln was opened after two days and a night."),
        piece("mixed", "The ferry brings clay for the kiln and the kiln alone."),
        piece("code", "ferry = 1  # the ferry", task="code"),
    ]
    found = nearest_to_evaluation(pieces, ITEMS, scorer)
    assert [(one.piece, one.item, one.cosine) for one in found[:2]] == [
        ("about-kilns", "e2", 1.0),
        ("mixed", "e2", 0.8944),
    ]
    assert (found[2].piece, found[2].cosine) == ("about-gardens", 0.0)
    assert len(found) == 3


def test_only_the_question_of_an_item_counts_where_it_is_known(scorer: Scorer) -> None:
    text = "The garden of the old abbey is large. How hot must the kiln be?"
    item = EvalItem("e", text, asked=((text.index("How"), len(text)),))
    pieces = [piece("g", "A garden needs water in the summer."), piece("k", "A kiln needs wood in the winter.")]
    assert [(one.piece, one.cosine) for one in nearest_to_evaluation(pieces, [item], scorer)] == [
        ("k", 1.0),
        ("g", 0.0),
    ]


def test_without_items_or_texts_there_is_nothing_to_tell(scorer: Scorer) -> None:
    assert nearest_to_evaluation([], ITEMS, scorer) == []
    assert nearest_to_evaluation([piece("a", "The ferry is late again today.")], [], scorer) == []
