"""The closed form against all orders counted one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.scores.mantel import cosines, decay_kernel, double_centred, mantel_z


def counted_z(weights: np.ndarray, values: np.ndarray) -> float:
    """Z by the definition: every order once."""
    n = len(weights)
    pairs = list(itertools.permutations(range(n), 2))
    totals = [
        math.fsum(weights[i, j] * values[order[i], order[j]] for i, j in pairs)
        for order in itertools.permutations(range(n))
    ]
    mean = math.fsum(totals) / len(totals)
    sd = math.sqrt(math.fsum((total - mean) ** 2 for total in totals) / len(totals))
    # itertools gives the order of the text first.
    return (totals[0] - mean) / sd


@pytest.mark.parametrize(("n", "seed"), [(4, 0), (5, 1), (5, 2), (6, 3)])
def test_z_is_exactly_that_of_all_permutations(n: int, seed: int) -> None:
    values = cosines(np.random.default_rng(seed).normal(size=(n, 7)))
    kernel = decay_kernel(n, 1.7)
    assert mantel_z(kernel, values) == pytest.approx(counted_z(kernel, values), abs=1e-9)
    centred = double_centred(values)
    assert mantel_z(kernel, centred) == pytest.approx(counted_z(kernel, centred), abs=1e-9)


def test_the_kernel_is_one_beside_the_diagonal_and_decays() -> None:
    kernel = decay_kernel(4, 2.0)
    assert kernel[0].tolist() == pytest.approx([0, 1, math.exp(-0.5), math.exp(-1)])
    assert (kernel == kernel.T).all()


def test_double_centring_takes_off_what_a_sentence_has_with_all_others() -> None:
    values = cosines(np.random.default_rng(5).normal(size=(9, 4)))
    popular = values + np.arange(9)[:, None] + np.arange(9)[None, :]
    left = double_centred(popular)
    assert left == pytest.approx(double_centred(values), abs=1e-9)
    assert left.sum(axis=0) == pytest.approx(np.zeros(9), abs=1e-9)
    assert math.sqrt((left**2).sum() / 72) == pytest.approx(1)


def test_where_all_are_alike_nothing_is_left() -> None:
    assert not double_centred(np.ones((6, 6))).any()
    assert not double_centred(cosines(np.tile([0.1, 0.7, -0.3], (30, 1)))).any()
    assert mantel_z(decay_kernel(6, 1.7), np.zeros((6, 6))) == 0.0


def test_a_zero_vector_has_cosine_zero_with_all() -> None:
    assert cosines(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist() == [[1.0, 0.0], [0.0, 0.0]]


_NUMBERS = st.lists(st.floats(-1e3, 1e3, width=32), min_size=3, max_size=3)


@settings(deadline=None)
@given(st.lists(_NUMBERS, min_size=4, max_size=12))
def test_no_vectors_give_a_nan(vectors: list[list[float]]) -> None:
    values = double_centred(cosines(np.array(vectors)))
    assert math.isfinite(mantel_z(decay_kernel(len(vectors), 1.7), values))
