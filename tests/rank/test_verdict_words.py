from __future__ import annotations

import numpy as np
import pytest

from curator.rank.statistics import ArmKL, Design, FloatArray
from curator.rank.verdict import PairResult, compare, describe, rank_arms
from curator.rank.verdict_words import settle_words


def arm(name: str, values: FloatArray) -> ArmKL:
    return ArmKL(name, values, has_draws=True, null=False)


def words(draws: int, gap: float, *, noise: float = 0.001, margin: float = 0.05) -> tuple[PairResult, str]:
    rng = np.random.default_rng(15)
    level = rng.gamma(9, 0.03, 33)
    level *= 0.25 / level.mean()
    a = arm("mix", level + rng.normal(0, noise, (draws, 33)))
    b = arm("hex", level + gap + rng.normal(0, noise, (draws, 33)))
    pair = compare(a, b, Design(("x",) * 33, {"x": 1.0}, margin=margin, data_acts="weights"))
    return pair, describe(pair)


def test_words_for_a_better_arm() -> None:
    pair, text = words(5, 0.1, noise=1e-5)  # 0.1 of 0.35
    low, high = pair.ci
    assert text == (
        "mix is lower than hex by 0.100 nats a token (28.6 %), "
        f"simultaneous 95 % interval {-high:#.3g} to {-low:#.3g}."
    )


def test_words_for_a_worse_arm_and_for_a_small_difference() -> None:
    assert words(5, -0.1, noise=1e-5)[1].startswith("mix is higher than hex by 0.100 nats a token (66.7 %)")
    assert words(5, 0.005)[1].endswith(", yet equivalent within ±5 %.")


def test_words_for_ties() -> None:
    assert "mix and hex are equivalent within ±5 %, difference" in words(5, 0.0)[1]
    assert "mix and hex are not separated, difference" in words(5, 0.0, noise=0.1)[1]
    assert "±2.5 %" in words(5, 0.0, margin=0.025)[1]


@pytest.mark.parametrize("gap", [-0.1, 0.0, 0.005, 0.1])
@pytest.mark.parametrize("draws", [1, 2])
def test_words_about_sets_never_speak_of_recipes(draws: int, gap: float) -> None:
    text = words(draws, gap)[1]
    assert text.startswith("These sets: ")
    assert text.endswith("the variance between draws is not included, so new draws may differ.")
    assert "recipe" not in text.lower()


def test_three_or_four_draws_are_provisional() -> None:
    assert words(3, 0.1)[1].startswith("Provisional (3 or 4 draws): mix is lower")
    assert words(4, 0.0)[1].startswith("Provisional (3 or 4 draws): mix and hex")


def test_words_for_what_would_settle_a_pair() -> None:
    # Draws differ most here: 0.01 nats, prompts of one by 0.004.
    rng = np.random.default_rng(3)
    values = rng.normal(0.25, 0.01, (2, 5, 1)) + rng.normal(0, 0.004, (2, 5, 33)) + [[[0.0]], [[0.006]]]
    design = Design(("x",) * 33, {"x": 1.0}, margin=0.0, data_acts="weights")
    pair = compare(arm("mix", values[0]), arm("hex", values[1]), design)
    assert pair.settle is not None and pair.settle.prompts is None
    assert settle_words(pair) == (
        f"about {pair.settle.draws} draws an arm on these prompts would show them separated with 80 % power, "
        "if the true difference is the one seen and more of the same vary alike"
    )
    of_sets, _ = words(1, 0.0, noise=0.05, margin=0.08)
    assert of_sets.settle is not None
    assert settle_words(of_sets).startswith(f"about {of_sets.settle.prompts} prompts with these sets would show ")
    assert "them equivalent within ±8 %" in settle_words(of_sets)
    assert settle_words(words(5, 0.1)[0]) == "" == settle_words(words(5, 0.0)[0])  # separated, and equivalent


def test_few_prompts_and_kl_near_the_baseline_are_warned_of() -> None:
    rng = np.random.default_rng(2)
    tasks = ("prose",) * 7 + ("code",) * 8
    design = Design(tasks, {"prose": 0.5, "code": 0.5}, data_acts="weights")
    arms = [arm(name, rng.gamma(9, 0.03, (3, 15))) for name in "ab"]
    (few,) = rank_arms(arms, design).warnings
    assert few.startswith("Few prompts (prose 7): ")
    near = [arm(one.name, one.values / 10) for one in arms]
    (_, warning) = rank_arms(near, design).warnings
    assert "2606.19558" in warning
    assert rank_arms(near[:1], design).warnings == ()  # nothing is compared
