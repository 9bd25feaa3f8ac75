from __future__ import annotations

from math import comb

import numpy as np
import pytest

from curator._errors import InputError
from curator.measure.task_sample.chance import chance_of_reaching


def test_of_one_item_it_is_jeffreys_mean() -> None:
    found = chance_of_reaching([1.0] * 9 + [0.0], 1.0, 1)
    assert found.chance == pytest.approx(9.5 / 11)


def test_of_all_right_in_two_items_by_hand() -> None:
    # Beta(2.5, 0.5): E[p^2] = 2.5 * 3.5 / (3 * 4).
    assert chance_of_reaching([1.0, 1.0], 1.0, 2).chance == pytest.approx(2.5 * 3.5 / 12)


def test_the_interval_is_the_binomial_at_the_ends_of_jeffreys_interval() -> None:
    # 8 of 10 right: Jeffreys' 95 % interval is 0.4972 to 0.9555 (Brown, Cai and DasGupta's formula, by R's qbeta).
    found = chance_of_reaching([1.0] * 8 + [0.0] * 2, 0.8, 5)

    def four_or_more(p: float) -> float:
        return comb(5, 4) * p**4 * (1 - p) + p**5

    assert found.ci == pytest.approx((four_or_more(0.4972), four_or_more(0.9555)), abs=2e-3)
    assert found.ci[0] < found.chance < found.ci[1]


def test_a_threshold_that_is_met_exactly_asks_for_no_point_more() -> None:
    # 0.7 * 10 is 7.000000000000001 in floating point.
    scores = [1.0] * 7 + [0.0] * 3
    assert chance_of_reaching(scores, 0.7, 10).chance == chance_of_reaching(scores, 0.65, 10).chance


def test_what_comes_is_above_a_threshold_as_often_as_was_told() -> None:
    rng = np.random.default_rng(3)
    # The chance of reaching what then came is uniform: told 10 % or less in 10 % of cases.
    told = []
    for _ in range(400):
        sample, future = rng.beta(4, 2, 40), rng.beta(4, 2, 150)
        told.append(chance_of_reaching(sample.tolist(), float(future.mean()), 150).chance)
    for share in (0.1, 0.5, 0.9):
        assert np.mean(np.array(told) <= share) == pytest.approx(share, abs=0.05)


def test_equal_shares_are_no_certainty() -> None:
    found = chance_of_reaching([0.5, 0.5], 0.5, 1)
    # Beta(1.5, 1.5) for one item that must be right: its mean.
    assert found.chance == pytest.approx(0.5)
    assert 0 < found.ci[0] < found.ci[1] < 1


@pytest.mark.parametrize(("scores", "threshold", "items"), [([1.0], 0.5, 9), ([1, 0], 0.0, 9), ([1, 0], 0.5, 0)])
def test_what_tells_nothing_is_refused(scores: list[float], threshold: float, items: int) -> None:
    with pytest.raises(InputError):
        chance_of_reaching(scores, threshold, items)
