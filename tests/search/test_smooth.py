"""Estimates of mixes by their own draws and their neighbours'."""

from __future__ import annotations

import numpy as np
import pytest

from curator.search.knobs import Number, Shares
from curator.search.mix import coordinates
from curator.search.smooth import smoothed


def test_estimates_are_nearer_to_the_truth_than_draws_are() -> None:
    places = np.linspace(0, 1, 21)[:, None]
    truth = 0.22 + 0.1 * (places[:, 0] - 0.7) ** 2
    raw, estimated = [], []
    for seed in range(20):
        values = truth + 0.017 * np.random.default_rng(seed).standard_normal(21)
        found = smoothed(places, values)
        raw.append([np.std(values - truth), truth[np.argmin(values)]])
        estimated.append([np.std(found - truth), truth[np.argmin(found)]])
    # Half the error at most, and the lowest of them is a better choice.
    (raw_error, raw_left), (error, left) = np.mean(raw, axis=0), np.mean(estimated, axis=0)
    assert error < raw_error / 2
    assert left < raw_left - 0.001


def test_without_noise_the_values_are_their_own_estimate() -> None:
    places = np.linspace(0, 1, 12)[:, None]
    values = 0.3 + np.sin(3 * places[:, 0])
    assert smoothed(places, values) == pytest.approx(values, abs=0.02)


def test_too_few_or_equal_values_are_their_plain_means() -> None:
    assert smoothed(np.array([[0.1], [0.1]]), np.array([1.0, 2.0])).tolist() == [1.5, 1.5]
    assert smoothed(np.array([[0.1], [0.2], [0.3]]), np.full(3, 0.25)).tolist() == [0.25] * 3


def test_mixes_are_as_far_apart_as_their_shares() -> None:
    shares = Shares(tuple(("sources", str(number), "weight") for number in range(3)), (0.5, 0.3, 0.2))
    number = Number(("min_chars",), 100, 300, 150)
    unit = [*shares.unit(dict(zip(shares.paths, (0.6, 0.3, 0.1), strict=True))), 0.25]
    assert coordinates((shares, number), unit) == pytest.approx([0.6, 0.3, 0.1, 0.25])
    # Where the first source takes all, the second number of the stick changes next to nothing.
    one, other = (coordinates((shares, number), [0.0, rest, 0.25]) for rest in (0.0, 1.0))
    assert one == pytest.approx(other, abs=0.011)
