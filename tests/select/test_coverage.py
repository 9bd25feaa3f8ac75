from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.select.coverage import cover


def covered(vectors: np.ndarray, chosen: tuple[int, ...]) -> float:
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = (1 + units @ units.T) / 2
    return float(near[:, list(chosen)].max(axis=1).sum())


def test_one_of_every_group_comes_before_a_second() -> None:
    rng = np.random.default_rng(3)
    groups = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
    vectors = np.stack([np.eye(8)[group] + 0.01 * rng.normal(size=8) for group in groups])
    order = cover(vectors)
    assert sorted(order) == list(range(10))
    assert {groups[at] for at in order[:3]} == {0, 1, 2}
    # The largest group is best covered first.
    assert groups[order[0]] == 0


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_greedy_is_within_its_bound_of_the_best(seed: int, count: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(9, 3))
    chosen = tuple(cover(vectors)[:count])
    best = max(covered(vectors, one) for one in itertools.combinations(range(9), count))
    assert covered(vectors, chosen) >= (1 - 1 / np.e) * best


def test_ties_go_to_the_earlier_text_and_empty_vectors_do_no_harm() -> None:
    assert cover(np.ones((4, 2)))[0] == 0
    assert sorted(cover(np.zeros((3, 2)))) == [0, 1, 2]
