from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.rank.estimate import KNOWN, Estimate, Part, combine
from curator.rank.multiplicity import detectable_difference
from curator.rank.settle import MOST, settle


def estimate(value: float, draws: float, prompts: float, floor: float = 0.0, count: int = 5) -> Estimate:
    """Shares of a squared standard error: of two arms' draws, of 100 prompts, of the floor."""
    both = (Part(draws / 2, count - 1, "draws", count),) * 2
    return combine(value, (*both, Part(prompts, 99, "prompts", 100), Part(floor, KNOWN, "floor")))


def test_prompts_alone_by_the_normal_law() -> None:
    of_sets = combine(0.01, (Part(1e-4, 999, "prompts", 1000),))
    found = settle(of_sets, 0.0, 1, 0.05)
    assert found is not None
    # z of 0.975 and of 0.8: (1.95996 + 0.84162)² times as many as give one standard error.
    assert found.prompts == pytest.approx(7849, rel=0.001)
    assert (found.as_, found.draws, found.both) == ("separated", None, None)


def test_the_nearer_of_separated_and_equivalent_is_aimed_at() -> None:
    for value, margin, as_ in ((0.02, 0.03, "separated"), (0.02, 0.05, "equivalent"), (0.02, 0.04, "separated")):
        found = settle(estimate(value, 2e-4, 2e-4), margin, 3, 0.05)
        assert found is not None
        assert found.as_ == as_


@given(
    st.floats(0.002, 0.05), st.floats(1e-6, 1e-3), st.floats(1e-6, 1e-3), st.floats(0, 1e-5), st.integers(1, 10)
)
def test_the_count_is_the_least_that_does(
    value: float, draws: float, prompts: float, floor: float, m: int
) -> None:
    given = estimate(value, draws, prompts, floor)
    found = settle(given, 0.0, m, 0.05)

    def power_at(more_draws: float, more_prompts: float) -> bool:
        scaled = combine(
            value,
            [
                part.with_count(
                    part.count * {"draws": more_draws, "prompts": more_prompts, "floor": 1}[part.source]
                )
                for part in given.spread.parts
            ],
        )
        return detectable_difference(scaled.se, scaled.df, m, 0.05) <= value

    if found is None:
        assert not power_at(MOST["draws"] / 5, 1) and not power_at(1, MOST["prompts"] / 100)
        return
    if found.draws is not None:
        assert power_at(found.draws / 5, 1)
        assert found.draws == 6 or not power_at((found.draws - 1) / 5, 1)
    if found.prompts is not None:
        assert power_at(1, found.prompts / 100)
        assert found.prompts == 101 or not power_at(1, (found.prompts - 1) / 100)
    if found.both is not None:
        assert found.draws is None and found.prompts is None
        assert power_at(found.both[0] / 5, found.both[0] / 5)
        assert found.both[1] == math.ceil(100 * found.both[0] / 5)


def test_how_draws_suit_prompts_falls_with_either() -> None:
    shared = 3e-5
    parts = (Part(3e-5, 400, "draws", 401), Part(3e-5, 400, "prompts", 401))
    found = settle(combine(0.01, parts, shared), 0.0, 1, 0.05)
    # Nothing else varies: (1.966 + 0.842)² of 3e-5 is 2.37e-4, over 1e-4.
    assert found is not None
    assert found.draws == found.prompts == pytest.approx(950, rel=0.01)


def test_what_cannot_be_settled() -> None:
    assert settle(estimate(0.0, 1e-4, 1e-4), 0.0, 3, 0.05) is None
    assert settle(estimate(0.001, 1e-6, 1e-6, floor=1e-4), 0.0, 3, 0.05) is None  # below the floor
    # Neither more draws nor more prompts alone: the other part is as large as the difference.
    both = settle(estimate(0.01, 1e-4, 1e-4), 0.0, 3, 0.05)
    assert both is not None
    assert (both.draws, both.prompts) == (None, None)
    assert both.both is not None and both.both[1] == 20 * both.both[0]
