from __future__ import annotations

import sys
from pathlib import Path

import fake_runs
import numpy as np
import pytest
from fake_runs import Fakes, loaded

from curator._progress import Silent
from curator.rank.statistical_design import ArmKL, Design

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from ranking_check.__main__ import check
from ranking_check.checks import Measured, half_splits, list_orders, same_recipe

DESIGN = Design(("x", "y") * 12, {"x": 0.5, "y": 0.5}, data_acts="weights")


def arm(name: str, mean: float, seed: int, sd: float = 0.003) -> ArmKL:
    level = np.random.default_rng(0).normal(0, 0.05, 24)
    rng = np.random.default_rng(seed)
    return ArmKL(name, mean + level + rng.normal(0, sd, (6, 1)) + rng.normal(0, sd, (6, 24)), True, False)


def test_draws_of_one_recipe_are_split_in_all_ways() -> None:
    one = arm("mix", 0.2, 1)
    found = same_recipe(one, DESIGN)
    assert (found["splits"], found["false"]) == (10, 0)
    # Three draws low and three high: just the split that separates them is called.
    shift = np.array([0.0, 0, 0, 0.2, 0.2, 0.2])[:, None]
    apart = same_recipe(ArmKL("mix", one.values + shift, True, False), DESIGN)
    assert apart["false"] == 1
    assert abs(apart["largest"] - 0.2) < 0.01
    assert apart["false_prompts_only"] > 1  # which the spread of prompts alone takes for real


def test_signs_on_the_other_half_are_counted() -> None:
    arms = [arm("a", 0.2, 1), arm("b", 0.25, 2), arm("c", 0.25, 3)]
    found = half_splits(arms, DESIGN)
    assert found["kept"] == 1.0
    assert 400 <= found["separated"] <= 420  # a against both, every time
    # A difference that only one prompt has turns round on the half without it.
    odd = ArmKL("odd", arms[0].values.copy(), True, False)
    assert half_splits([arms[0], odd], DESIGN) == {"splits": 200, "separated": 0, "kept": None}


def test_lists_that_turn_a_pair_round_are_counted() -> None:
    a, b, c = arm("a", 0.2, 1), arm("b", 0.25, 2), arm("c", 0.3, 3)

    def lists(one: ArmKL, by: float) -> Measured:
        return Measured(one, ArmKL(one.name, one.values + by, True, False, one.values + by - 0.01))

    same = list_orders([lists(a, 0.002), lists(b, 0.0), lists(c, 0.0)], DESIGN)
    assert (same["called"], same["same_order"], same["called_from_lists"], same["called_otherwise"]) == (
        3,
        3,
        3,
        0,
    )
    assert abs(same["bias"]["a"] - 0.002 / a.values.mean()) < 1e-6
    turned = list_orders([lists(a, 0.08), lists(b, 0.0), lists(c, 0.0)], DESIGN)
    assert (turned["called"], turned["same_order"]) == (3, 2)
    assert turned["called_otherwise"] == 1


def test_a_whole_check(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Fakes(tiny_model).install(monkeypatch)
    recipes = loaded(tmp_path, "one"), loaded(tmp_path, "bad", seed=1)
    found = check(fake_runs.plan(tmp_path, tiny_model, recipes, draws=6), Silent())
    assert [(row["arm"], row["splits"]) for row in found["same_recipe"]] == [("one", 10), ("bad", 10)]
    assert (found["prompts"], found["half_splits"]["splits"]) == (10, 200)
    # Lists of half a small vocabulary say what the vocabulary says.
    assert found["lists"]["called"] == found["lists"]["called_from_lists"] == found["lists"]["same_order"] == 1
    assert max(map(abs, found["lists"]["bias"].values())) < 0.005
