"""Two sets: shares, what they have in common, how far apart their meaning is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from curator._errors import InputError
from curator.compare.composition import composition, pieces_of
from curator.compare.embedding_shift import Sample, embedding_shift
from curator.compare.overlap import document_overlap, row_overlap, text_overlap
from curator.scores.store import ScoreStore


def piece(name: str, task: str, tokens: int, **more: Any) -> dict[str, Any]:
    return {"id": name, "document": name[0], "corpus": "c", "task": task, "tokens": tokens, **more}


FIRST = [piece("a1", "qa", 60), piece("a2", "qa", 40), piece("b1", "code", 100)]
SECOND = [piece("a1", "qa", 150), piece("c1", "prose", 50)]


def test_shares_counts_and_what_moved() -> None:
    made = composition(FIRST, SECOND)
    assert made["task"]["rows"] == [
        {
            "name": "code",
            "first": {"tokens": 100, "share": 0.5, "pieces": 1},
            "second": {"tokens": 0, "share": 0.0, "pieces": 0},
        },
        {
            "name": "prose",
            "first": {"tokens": 0, "share": 0.0, "pieces": 0},
            "second": {"tokens": 50, "share": 0.25, "pieces": 1},
        },
        {
            "name": "qa",
            "first": {"tokens": 100, "share": 0.5, "pieces": 2},
            "second": {"tokens": 150, "share": 0.75, "pieces": 1},
        },
    ]
    assert made["task"]["moved"] == 0.5 and made["source"]["moved"] == 0.0
    assert {row["name"] for row in made["length"]["rows"]} == {"up to 64", "65 to 128", "129 to 256"}
    assert composition([], SECOND) == {}


def test_what_is_in_both() -> None:
    assert document_overlap(FIRST, SECOND) == {
        "first": 2, "second": 2, "both": 1, "first_tokens": 0.5, "second_tokens": 0.75,
    }  # fmt: skip
    # Five words a run: the first has 3, the second 4, of which 2 are the same.
    assert text_overlap(["a b c d e f g"], ["x", "b c d e f g h i"]) == {"both": 2, "first": 2 / 3, "second": 0.5}
    assert text_overlap([""], ["b c d e f"]) is None and document_overlap([], SECOND) is None
    assert row_overlap([[1, 2], [1, 2], [3]], [[3], [1, 2], [4]]) == 2


@pytest.mark.parametrize(
    "documents", [{}, [3], [{"id": "a"}], [{"id": 1, "tokens": 1}], [{"id": "a", "tokens": -1}]]
)
def test_damaged_documents_are_told(documents: Any) -> None:
    with pytest.raises(InputError, match=r"^sets/x: manifest\.json's documents are damaged"):
        pieces_of({"documents": documents}, "sets/x")


class Letters:
    """A text's vector is by its first letter; counts what it is asked."""

    fingerprint = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        self.asked += sentences
        return np.array([{"a": [1, 0], "b": [0, 1]}[text[0]] for text in sentences], dtype=np.float32)


def test_the_distance_of_means_by_hand_and_what_chance_gives(tmp_path: Path) -> None:
    encoder, store = Letters(), ScoreStore(pytest.fail, tmp_path)
    names = [str(number) for number in range(8)]
    ones, others = (Sample(tuple(letter + name for name in names), (1.0,) * 8) for letter in "ab")
    found = embedding_shift(ones, others, encoder, store)
    # Two unit vectors at right angles; only 2 of the 12,870 divisions are as far apart.
    assert found is not None and found["distance"] == pytest.approx(2**0.5) and found["p"] <= 0.003
    assert len(encoder.asked) == 16
    # Tokens count: (3 a + 1 b) / 4 against (1 a + 1 b) / 2, a quarter in each coordinate.
    weighted = Sample(("a1", "b1"), (3.0, 1.0)), Sample(("a2", "b2"), (5.0, 5.0))
    second = embedding_shift(*weighted, encoder, store)
    assert second is not None and second["distance"] == pytest.approx(0.125**0.5)
    assert second == embedding_shift(*weighted, encoder, store) and len(encoder.asked) == 16
    same = embedding_shift(ones, ones, encoder, store)
    assert same is not None and (same["distance"], same["p"]) == (0.0, 1.0)
    assert embedding_shift(Sample(("a",), (1.0,)), ones, encoder, store) is None


def test_the_test_holds_its_level_where_nothing_differs(tmp_path: Path) -> None:
    store, random = ScoreStore(pytest.fail, tmp_path), np.random.default_rng(1)
    hits = 0
    for trial in range(100):
        letters = random.permutation(list("ab" * 10))
        texts = [f"{letter}{trial}-{number}" for number, letter in enumerate(letters)]
        halves = [Sample(tuple(half), (1.0,) * 10) for half in (texts[:10], texts[10:])]
        found = embedding_shift(halves[0], halves[1], Letters(), store)
        hits += found is not None and found["p"] < 0.05
    assert hits <= 11
