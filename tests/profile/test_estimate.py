"""Intervals of mean scores, against values from tables."""

from __future__ import annotations

import pytest

from curator.profile.estimate import estimate, scale_end


def test_right_or_wrong_has_wilsons_interval() -> None:
    # 18 of 30: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.959964.
    found = estimate([1.0] * 18 + [0.0] * 12, 1)
    assert found is not None
    assert (found.n, found.mean) == (30, 0.6)
    assert (found.low, found.high) == (pytest.approx(0.4232, abs=2e-4), pytest.approx(0.7541, abs=2e-4))


def test_all_right_is_not_certain() -> None:
    found = estimate([1.0] * 30, 1)
    assert found is not None
    # n / (n + z²)
    assert (found.low, found.high) == (pytest.approx(30 / (30 + 1.959964**2), abs=1e-4), 1.0)


def test_per_cent_keep_their_scale() -> None:
    found = estimate([100.0] * 18 + [0.0] * 12, 100)
    assert found is not None
    assert (found.mean, found.low) == (60.0, pytest.approx(42.32, abs=0.02))


def test_partial_scores_have_students_interval_within_the_scale() -> None:
    # Mean 0.7, SD 0.2, standard error 0.1, t(0.975, 3) = 3.1824.
    found = estimate([0.5, 0.9, 0.5, 0.9], 1)
    assert found is not None
    se = (4 * 0.2**2 / 3 / 4) ** 0.5
    assert (found.low, found.high) == (pytest.approx(0.7 - 3.1824 * se, abs=1e-4), 1.0)


def test_too_few() -> None:
    assert estimate([], 1) is None
    found = estimate([0.4], 1)
    assert found is not None and (found.mean, found.low, found.high) == (0.4, None, None)


def test_a_task_that_is_all_wrong_has_the_scale_of_its_file() -> None:
    top = scale_end([0.0] * 10 + [100.0] * 3 + [55.5])
    found = estimate([0.0] * 10, top)
    assert found is not None
    # z² / (n + z²), in per cent.
    assert (found.low, found.high) == (0.0, pytest.approx(100 * 1.959964**2 / (10 + 1.959964**2), abs=0.01))


def test_scores_without_a_known_scale_stay_finite() -> None:
    found = estimate([0.0, 0.0], scale_end([0.0, 0.0, 250.0]))
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.0, 0.0, 0.0)
