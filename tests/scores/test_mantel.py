"""The closed form against all orders counted one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.scores.mantel import (
    Excess,
    centred_and_sd,
    cosines,
    decay_kernel,
    directed,
    double_centred,
    forward_kernel,
    mantel,
)


def counted(*sums: tuple[np.ndarray, np.ndarray]) -> Excess:
    """Excess of the sums added up, by the definition: every order once."""
    n = len(sums[0][0])
    totals = [
        math.fsum(float((weights * values[np.ix_(order, order)]).sum()) for weights, values in sums)
        for order in itertools.permutations(range(n))
    ]
    mean = math.fsum(totals) / len(totals)
    # itertools gives the order of the text first.
    return Excess(totals[0] - mean, math.fsum((total - mean) ** 2 for total in totals) / len(totals))


def numbers(excess: Excess) -> tuple[float, float]:
    return (excess.value, excess.variance)


def against_each_other(n: int, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(n, n))
    return values - values.T


@pytest.mark.parametrize(("n", "seed"), [(4, 0), (5, 1), (5, 2), (6, 3)])
def test_the_excess_is_exactly_that_of_all_permutations(n: int, seed: int) -> None:
    values = cosines(np.random.default_rng(seed).normal(size=(n, 7)))
    kernel = decay_kernel(n, 1.7)
    centred = double_centred(values)
    assert numbers(mantel(kernel, values)) == pytest.approx(
        numbers(counted((kernel, values - np.diag(np.diag(values)))))
    )
    assert numbers(mantel(kernel, centred)) == pytest.approx(numbers(counted((kernel, centred))))


@pytest.mark.parametrize(("n", "seed"), [(4, 0), (5, 1), (6, 2)])
def test_so_is_that_of_what_has_a_direction_alone_and_beside_a_likeness(n: int, seed: int) -> None:
    values, forward = against_each_other(n, seed), forward_kernel(n, 4.0)
    assert numbers(directed(forward, values)) == pytest.approx(numbers(counted((forward, values))))
    alike, near = double_centred(cosines(values)), decay_kernel(n, 1.7)
    both = mantel(near, alike) + directed(forward, values)
    assert numbers(both) == pytest.approx(numbers(counted((near, alike), (forward, values))))
    assert both.z == pytest.approx(both.value / math.sqrt(both.variance))


def test_reading_backwards_turns_the_direction() -> None:
    values, forward = against_each_other(7, 4), forward_kernel(7, 4.0)
    there, back = directed(forward, values), directed(forward, values[::-1, ::-1])
    assert numbers(back) == pytest.approx((-there.value, there.variance))


def test_the_kernel_is_one_beside_the_diagonal_and_decays() -> None:
    kernel = decay_kernel(4, 2.0)
    assert kernel[0].tolist() == pytest.approx([0, 1, math.exp(-0.5), math.exp(-1)])
    assert (kernel == kernel.T).all()


def test_the_forward_kernel_is_that_with_the_sign_of_the_order() -> None:
    forward = forward_kernel(4, 2.0)
    assert forward[1].tolist() == pytest.approx([-1, 0, 1, math.exp(-0.5)])
    assert (forward == -forward.T).all()


def test_double_centring_takes_off_what_a_sentence_has_with_all_others() -> None:
    values = cosines(np.random.default_rng(5).normal(size=(9, 4)))
    popular = values + np.arange(9)[:, None] + np.arange(9)[None, :]
    left = double_centred(popular)
    assert left == pytest.approx(double_centred(values), abs=1e-9)
    assert left.sum(axis=0) == pytest.approx(np.zeros(9), abs=1e-9)
    assert math.sqrt((left**2).sum() / 72) == pytest.approx(1)
    assert centred_and_sd(3 * values)[1] == pytest.approx(3 * centred_and_sd(values)[1])


def test_where_all_are_alike_nothing_is_left() -> None:
    assert not double_centred(np.ones((6, 6))).any()
    assert not double_centred(cosines(np.tile([0.1, 0.7, -0.3], (30, 1)))).any()
    assert centred_and_sd(np.ones((6, 6)))[1] == 0.0
    assert mantel(decay_kernel(6, 1.7), np.zeros((6, 6))).z == 0.0
    assert directed(forward_kernel(6, 4.0), np.zeros((6, 6))).z == 0.0


def test_a_zero_vector_has_cosine_zero_with_all() -> None:
    assert cosines(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist() == [[1.0, 0.0], [0.0, 0.0]]


_NUMBERS = st.lists(st.floats(-1e3, 1e3, width=32), min_size=3, max_size=3)


@given(st.lists(_NUMBERS, min_size=4, max_size=12))
def test_no_vectors_give_a_nan(vectors: list[list[float]]) -> None:
    values = double_centred(cosines(np.array(vectors)))
    assert math.isfinite(mantel(decay_kernel(len(vectors), 1.7), values).z)
