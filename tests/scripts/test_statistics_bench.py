from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from statistics_bench.__main__ import kept
from statistics_bench.families import family_rates, look_rates
from statistics_bench.pairs import OURS, outcomes, pair_rates
from statistics_bench.settings import LOOKS
from statistics_bench.worlds import World


def test_outcomes_by_hand() -> None:
    ends = np.array([[-1.0, 0.5, -2.0], [1.0, 2.0, -1.0]])
    assert outcomes(ends, 0.0).tolist() == [[False, True, True], [False, True, True], [True, False, False]]
    # Truly above 0: the third has the wrong sign.
    assert outcomes(ends, 1.0).tolist() == [[False, False, True], [False, True, True], [True, True, False]]


def test_a_world_has_the_spreads_that_it_was_asked_for() -> None:
    world = World((0.2, 0.3), (0.01, 0.02), 400, 200, tasks=1, prompt_sd=0.05)
    values = world.run(np.random.default_rng(1))
    assert values.shape == (2, 400, 200)
    assert (values[1] - values[0]).mean() == pytest.approx(0.1, abs=0.005)
    assert values.mean(axis=2).std(axis=1) == pytest.approx([0.01, 0.02], rel=0.15)
    rest = values[0] - values[0].mean(axis=0) - values[0].mean(axis=1, keepdims=True) + values[0].mean()
    assert rest.std() == pytest.approx(world.draw_prompt_sd, rel=0.02)


def test_prompts_alone_are_wrong_more_often_than_the_tool() -> None:
    ways = pair_rates(World((0.22, 0.22), (0.01, 0.01), 5, 48), 60, 3)["ways"]
    assert ways[OURS]["false"] + ways[OURS]["covered"] == 1
    assert ways[OURS]["false"] <= 0.1 < ways["bootstrap over prompts"]["false"]


def test_a_family_and_its_looks() -> None:
    world = World((0.2, 0.2, 0.5), (0.03, 0.03, 0.01), 8, 48)
    at_once, staged = family_rates(world, 10, 3), look_rates(world, LOOKS, 10, 3)
    for rates in (at_once, staged):
        assert rates["separated"] >= 0.8  # a dropped arm is compared with those left no more
        assert rates["best_missing"] <= 0.2
        assert rates["best_size"] <= 2.2
    assert at_once["any_false"]["bootstrap over prompts"] >= 0.3
    assert at_once["draws_used"] == 1.0 > staged["draws_used"]


def test_a_row_of_the_same_setting_is_kept_and_no_other() -> None:
    world = World((0.2, 0.3), (0.01, 0.02), 3, 48)
    row = json.loads(json.dumps({"name": "a", **pair_rates(world, 4, 3)}))
    assert kept([row], "a", world, 4) is row
    assert kept([row], "a", world, 5) is None and kept([row], "b", world, 4) is None
    assert kept([row], "a", replace(world, prompts=49), 4) is None
