"""The worlds that the search is tried in: their truth is what they say it is."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from search_bench.measure import rates
from search_bench.worlds import World

from curator.search.mix import Mix, proposed
from curator.search.propose import spread


def mixes(world: World, count: int) -> list[Mix]:
    knobs = world.search(40).knobs
    return [proposed("mix", knobs, spread(world.search(40).dimensions, 1, number)) for number in range(count)]


@pytest.mark.parametrize("shape", ["bowl", "corner"])
def test_the_best_mix_is_a_gap_below_the_written_one(shape: str) -> None:
    world = World(shape, 0.05, 0.01, 4, 48, 7)  # type: ignore[arg-type]
    written = world.search(40).written[0]
    assert world.truth(written) == pytest.approx(world.level) and world.best == pytest.approx(world.level - 0.05)
    truths = [world.truth(mix) for mix in mixes(world, 200)]
    assert world.best <= min(truths) < world.level - 0.03 and max(truths) > world.level
    assert {World("flat", 0.0, 0.01, 4, 48, 7).truth(mix) for mix in mixes(world, 9)} == {0.22}


def test_draws_and_prompts_spread_as_they_should_and_are_the_same_when_asked_again() -> None:
    world = World("flat", 0.0, 0.017, 4, 48, 3)
    mix = mixes(world, 1)[0]
    draws = np.stack([world.values(mix, draw, "search") for draw in range(400)])
    assert np.array_equal(draws[5], world.values(mix, 5, "search"))
    # A draw's own SD, and that of its prompts' mean.
    assert draws.mean(axis=1).std() == pytest.approx((0.017**2 + 0.028**2 / 48) ** 0.5, rel=0.1)
    assert not np.allclose(draws[0], world.values(mix, 0, "other"))
    # A mix that differs from the written one suits each prompt differently, the same on all its draws.
    own = draws.mean(axis=0) - world.values(world.search(40).written[0], 0, "search")
    assert own.std() > 0.01


def test_searches_are_judged_by_their_truth() -> None:
    found = rates(World("corner", 0.05, 0.003, 3, 48, 0), 20, 6, 5, lambda d, s, n, _: spread(d, s, n))
    assert found["runs"] == 6 and found["better"] >= 5 / 6 and found["found"] >= 4 / 6
    assert found["confirmed"] <= min(found["found"], found["better"]) and 0 <= found["left"] < 0.3
