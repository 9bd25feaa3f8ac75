"""Cosines of vectors against all kept ones."""

from __future__ import annotations

import numpy as np
import pytest

from curator.gates import semantic_duplicates
from curator.gates.semantic_duplicates import SemanticDuplicates, check_semantic_duplicate


def _vector(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, np.float32)


def test_owner_and_cosine_by_hand() -> None:
    seen = SemanticDuplicates(0.9)
    assert seen.add("east", _vector(2, 0)) == (None, 0.0)
    assert seen.add("north", _vector(0, 1)) == (None, 0.0)
    # 3-4-5 triangle: cosine 0.8 with north, not enough.
    assert seen.add("between", _vector(3, 4)) == (None, pytest.approx(0.8))
    assert seen.add("nearly east", _vector(10, 1)) == ("east", pytest.approx(10 / np.sqrt(101), abs=1e-6))
    assert seen.add("again east", _vector(1, 0)) == ("east", 1.0)
    assert seen.add("west", _vector(-1, 0)) == (None, 0.0)


def test_a_refused_text_owns_nothing_and_the_first_of_equals_wins() -> None:
    seen = SemanticDuplicates(0.99)
    seen.add("a", _vector(1, 0))
    assert seen.add("b", _vector(1, 0.1))[0] == "a"
    # Within the limit of b, but b was not kept.
    assert seen.add("c", _vector(1, 0.2))[0] is None
    assert seen.add("d", _vector(2, 0))[0] == "a"


@pytest.mark.parametrize("vector", [(0.0, 0.0), (np.nan, 1.0), (np.inf, 1.0)])
def test_a_vector_without_direction_is_like_no_other(vector: tuple[float, float]) -> None:
    seen = SemanticDuplicates(-1.0)
    assert seen.add("one", _vector(*vector)) == (None, 0.0)
    assert seen.add("two", _vector(*vector)) == (None, 0.0)
    assert seen.add("three", _vector(1, 0)) == (None, 0.0)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_tiny_and_huge_vectors_have_a_direction(scale: float) -> None:
    seen = SemanticDuplicates(0.9)
    seen.add("one", _vector(scale, scale))
    assert seen.add("two", _vector(1, 1)) == ("one", 1.0)


def test_as_all_pairs_over_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic_duplicates, "_BLOCK", 100)
    vectors = np.random.default_rng(3).normal(size=(2500, 4)).astype(np.float32)
    unit = vectors.astype(np.float64) / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    seen, kept = SemanticDuplicates(0.995), list[int]()
    for number, vector in enumerate(vectors):
        cosines = unit[kept] @ unit[number] if kept else np.zeros(1)
        owner, cosine = seen.add(str(number), vector)
        assert cosine == pytest.approx(cosines.max(), abs=1e-5)
        assert owner == (str(kept[int(cosines.argmax())]) if cosine >= 0.995 else None)
        if owner is None:
            kept.append(number)
    assert 1024 < len(kept) < 2500


def test_refusal() -> None:
    assert check_semantic_duplicate(None, 0.8) is None
    drop = check_semantic_duplicate("a.txt", 0.9312)
    assert drop is not None
    assert (drop.reason, drop.detail) == ("semantic_duplicate", "cosine 0.931 with a.txt")
