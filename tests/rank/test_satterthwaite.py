from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from curator.rank.estimate import KNOWN, Part, Spread, combine

PARTS = st.lists(st.tuples(st.floats(1e-6, 1.0), st.integers(1, 300)), min_size=1, max_size=8)


@given(PARTS)
def test_degrees_of_freedom_lie_between_the_least_part_and_satterthwaite(drawn: list[tuple[float, int]]) -> None:
    spread = Spread(tuple(Part(variance, df, "prompts") for variance, df in drawn))
    plain = sum(v for v, _ in drawn) ** 2 / sum(v**2 / df for v, df in drawn)
    assert min(df for _, df in drawn) * (1 - 1e-9) <= spread.df() <= plain * (1 + 1e-9)
    if len(drawn) == 1:
        assert spread.df() == pytest.approx(drawn[0][1])


@pytest.mark.parametrize(
    ("df", "level", "most"), [(2, 0.05, 1.01), (2, 0.005, 2.1), (4, 0.05, 1.01), (4, 0.005, 1.27)]
)
def test_tests_keep_their_level_whatever_share_a_small_variance_has(df: int, level: float, most: float) -> None:
    """Rate of false rejections over the level, for a part of few degrees of freedom beside a well-known one."""
    chance = stats.chi2.ppf((np.arange(400) + 0.5) / 400, df) / df
    worst = {"careful": 0.0, "plain": 0.0}
    for share in (0.3, 0.8, 0.9, 0.95, 1.0):
        rates: dict[str, list[float]] = {"careful": [], "plain": []}
        for value in chance:
            parts = (Part(max(share * value, 1e-12), df, "draws"), Part(max(1 - share, 1e-12), 60, "prompts"))
            spread = Spread(parts)
            total = spread.total()
            plain = total**2 / sum(part.variance**2 / part.df for part in parts)
            for name, own in (("careful", spread.df()), ("plain", plain)):
                rates[name].append(2 * special.ndtr(special.stdtrit(own, level / 2) * math.sqrt(total)))
        for name, own_rates in rates.items():
            worst[name] = max(worst[name], float(np.mean(own_rates)) / level)
    assert worst["careful"] < most
    assert worst["plain"] > 1.1


def test_what_is_in_two_parts_is_taken_out_once() -> None:
    parts = (Part(3.0, 4, "draws", 5), Part(2.0, 40, "prompts", 41), Part(0.5, KNOWN, "floor"))
    assert combine(1.0, parts, shared=1.0).se ** 2 == pytest.approx(4.5)
    assert combine(1.0, parts, shared=9.0).se ** 2 == pytest.approx(3.5)  # not below the draws' own
    assert combine(1.0, ()).se == 0.0


def test_a_part_of_more_draws_is_smaller_and_better_known() -> None:
    assert Part(3.0, 4, "draws", 5).with_count(10) == Part(1.5, 9, "draws", 10)
    assert Part(0.5, KNOWN, "floor").with_count(1) == Part(0.5, KNOWN, "floor")
