"""Quantiles and octaves."""

from __future__ import annotations

import random
import statistics

import pytest

from curator.profile.figures import Bin
from curator.profile.spread import spread, upto


@pytest.mark.parametrize(
    ("length", "end"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (512, 512), (513, 1024), (65_536, 65_536)]
)
def test_bins_end_at_powers_of_two(length: int, end: int) -> None:
    assert upto(length) == end


def test_one_length() -> None:
    found = spread([7])
    assert (found.n, found.sum, found.mean, found.p10, found.median, found.p90) == (1, 7, 7, 7, 7, 7)
    assert found.histogram == [Bin(upto=8, count=1)]


def test_quantiles_are_those_of_the_standard_library() -> None:
    draw = random.Random(3)
    values = [draw.randrange(100_000) for _ in range(37)]
    found = spread(values)
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    assert found.p10 == pytest.approx(tenths[0], abs=1e-3)
    assert found.median == statistics.median(values)
    assert found.p90 == pytest.approx(tenths[8], abs=1e-3)
    assert sum(one.count for one in found.histogram) == 37
