from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curator._errors import InputError, RefusedError
from curator.rank.multiplicity import detectable_difference
from curator.rank.statistics import ArmKL, Design, FloatArray
from curator.rank.verdict import (
    Ranking,
    compare,
    may_be_best,
    rank_arms,
    smallest_detectable,
)

TASKS = ("chat", "code", "prose") * 11  # 33 prompts, about the 32 of facts/nvfp4.md
THIRDS = {"chat": 1 / 3, "code": 1 / 3, "prose": 1 / 3}


def arm(name: str, values: object, *, has_draws: bool = True, null: bool = False) -> ArmKL:
    return ArmKL(name, np.array(values, dtype=float), has_draws, null)


def design(**given: object) -> Design:
    return Design(**{"tasks": TASKS, "weights": THIRDS, "data_acts": "weights", **given})  # type: ignore[arg-type]


def simulated(rng: np.random.Generator, means: list[float], draws: int, names: str = "abcdefgh") -> list[ArmKL]:
    """Arms with the spreads of facts/nvfp4.md: seed SD 0.012, paired SD about 0.075 a prompt, KL near 0.3."""
    prompts = len(TASKS)
    level = 0.3 + rng.normal(0, 0.08, prompts)
    arms = []
    for name, mean in zip(names, means, strict=False):
        taste = rng.normal(0, 0.04, prompts)
        noise = rng.normal(0, 0.012, (draws, 1)) + rng.normal(0, 0.03, (draws, prompts))
        arms.append(arm(name, level + mean + taste + noise))
    return arms


def rankings(count: int, means: list[float], draws: int, seed: int) -> Iterator[Ranking]:
    rng, given = np.random.default_rng(seed), design()
    for _ in range(count):
        yield rank_arms(simulated(rng, means, draws), given)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(2, 5))
def test_verdict_interval_and_adjusted_p_never_contradict(seed: int, draws: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    arms = simulated(rng, list(rng.uniform(0, 0.08, count)), draws)
    ranking = rank_arms(arms, design())
    for pair in ranking.pairs:
        low, high = pair.ci
        assert low <= pair.diff <= high
        assert (pair.verdict == "tied") == (low <= 0 <= high) == (pair.p_adjusted >= 0.05)
        assert (pair.verdict == "better") == (high < 0)
        assert pair.equivalent == (max(-low, high) <= 0.05 * min(pair.mean_a, pair.mean_b))
        assert (pair.b in ranking.best) <= (pair.verdict == "tied" or pair.verdict == "worse")
    assert ranking.best[0] == ranking.arms[0].name


# --- one pair -----------------------------------------------------------------------------------------------


def test_compare_agrees_with_the_paired_t_test() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.gamma(4, 0.07, (2, 20))
    pair = compare(arm("a", [a]), arm("b", [b]), design(tasks=("x",) * 20, weights={"x": 1.0}))
    expected = stats.ttest_rel(a, b)
    assert pair.p == pair.p_adjusted == pytest.approx(expected.pvalue)
    assert pair.ci == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (pair.scope, pair.family, pair.family_size) == ("sets", "user", 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_compare_is_antisymmetric(seed: int, draws: int) -> None:
    a, b = simulated(np.random.default_rng(seed), [0.0, 0.03], draws)
    there, back = compare(a, b, design()), compare(b, a, design())
    assert back.diff == -there.diff
    assert back.ci == pytest.approx((-there.ci[1], -there.ci[0]))
    assert {there.verdict, back.verdict} in ({"tied"}, {"better", "worse"})
    assert (back.equivalent, back.scope, back.margin) == (there.equivalent, there.scope, there.margin)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2.0**-20, 0.5, 8.0]))
def test_verdicts_do_not_depend_on_the_unit(seed: int, unit: float) -> None:
    nats = simulated(np.random.default_rng(seed), [0.0, 0.02, 0.05], 3)
    other = [arm(one.name, one.values * unit) for one in nats]
    before, after = rank_arms(nats, design()), rank_arms(other, design())
    assert [(p.a, p.b, p.verdict, p.equivalent, p.p) for p in before.pairs] == [
        (p.a, p.b, p.verdict, p.equivalent, p.p) for p in after.pairs
    ]
    assert before.smallest_detectable is not None
    assert after.smallest_detectable == pytest.approx(before.smallest_detectable * unit)


def test_identical_arms_are_tied_and_equivalent() -> None:
    values = np.random.default_rng(1).gamma(4, 0.07, (1, 33))
    pair = compare(arm("a", values), arm("b", values), design())
    assert (pair.diff, pair.p, pair.ci, pair.verdict, pair.equivalent) == (0, 1, (0, 0), "tied", True)


def test_a_difference_without_variation_is_separated() -> None:
    pair = compare(arm("a", np.full((1, 33), 0.25)), arm("b", np.full((1, 33), 0.5)), design())
    assert (pair.p, pair.verdict, pair.equivalent) == (0.0, "better", False)
    assert pair.ci == pytest.approx((-0.25, -0.25))
    assert math.isfinite(pair.df)  # strict JSON has no infinity


def test_equivalence_compares_the_interval_with_the_smaller_mean() -> None:
    rng = np.random.default_rng(2)
    level = rng.gamma(9, 0.03, 33)
    a = arm("a", [level])
    b = arm("b", [level + 0.005 + rng.normal(0, 0.001, 33)])
    pair = compare(a, b, design())
    assert pair.margin == pytest.approx(0.05 * level.mean())
    assert (pair.verdict, pair.equivalent) == ("better", True)  # real, and small
    assert not compare(a, b, design(margin=0.01)).equivalent


def test_top_k_arms_need_the_same_sign_under_both_estimators() -> None:
    rng = np.random.default_rng(6)
    level = rng.gamma(9, 0.03, 33)
    better = level - 0.03 + rng.normal(0, 0.005, 33)
    b = ArmKL("b", level[None], True, False, lower=level[None] * 0.95)
    agree = ArmKL("a", better[None], True, False, lower=better[None] * 0.95)
    differ = ArmKL("a", better[None], True, False, lower=level[None] * 0.95 + 0.01)
    assert compare(agree, b, design()).verdict == "better"
    pair = compare(differ, b, design())
    assert (pair.verdict, pair.p, pair.equivalent) == ("tied", 1.0, False)
    assert pair.ci[0] < -0.02 < 0.009 < pair.ci[1]  # the hull of both


# --- a ranking ----------------------------------------------------------------------------------------------


def test_null_arms_are_a_family_of_their_own() -> None:
    rng = np.random.default_rng(7)
    arms = simulated(rng, [0.0, 0.05, 0.1], 5)
    fixed = arm("rtn", arms[0].values[:1] + 0.2, has_draws=False, null=True)
    words = arm("random", arms[0].values + 0.1, null=True)
    ranking = rank_arms([*arms, fixed, words], design())
    assert [one.name for one in ranking.arms] == ["a", "b", "c", "random", "rtn"]
    assert [(p.a, p.b) for p in ranking.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert {p.family_size for p in ranking.pairs} == {3}
    assert {(p.family, p.family_size) for p in ranking.null_pairs} == {("null", 7)}  # 3 × 2 and rtn-random
    assert {p.scope for p in ranking.null_pairs} == {"recipes"}  # one row of an arm without draws is enough
    assert set(ranking.best) <= {"a", "b", "c"}
    assert ranking.pairs == rank_arms(arms, design()).pairs  # null arms cost the user's arms nothing


def test_one_arm_is_a_ranking_without_pairs() -> None:
    ranking = rank_arms(simulated(np.random.default_rng(8), [0.0], 5), design())
    assert (ranking.pairs, ranking.best, ranking.smallest_detectable) == ((), ("a",), None)


def test_arms_that_cannot_be_ranked_are_refused() -> None:
    arms = simulated(np.random.default_rng(8), [0.0, 0.1], 5)
    with pytest.raises(InputError, match="no arm to rank"):
        rank_arms([], design())
    with pytest.raises(InputError, match="2 arms are called 'a'"):
        rank_arms([arms[0], arms[0]], design())
    with pytest.raises(InputError, match="2 arms are called 'a'"):
        compare(arms[0], arms[0], design())
    with pytest.raises(RefusedError, match="nothing to rank, measure once"):
        rank_arms(arms[:1], design(data_acts="nothing"))


def test_may_be_best_leaves_out_only_arms_that_another_is_better_than() -> None:
    ranking = rank_arms(simulated(np.random.default_rng(9), [0.0, 0.001, 0.2], 5), design())
    assert set(ranking.best) == {"a", "b"}
    assert may_be_best(["c", "a"], []) == ("c", "a")
    a, b = simulated(np.random.default_rng(9), [0.2, 0.0], 5)
    assert may_be_best("ab", [compare(a, b, design())]) == ("b",)  # a pair given the worse arm first


def test_smallest_detectable_is_that_of_the_median_pair() -> None:
    pairs = rank_arms(simulated(np.random.default_rng(10), [0.0, 0.1, 0.2], 5), design()).pairs
    median = sorted(pairs, key=lambda pair: pair.se)[1]
    assert smallest_detectable(pairs) == detectable_difference(median.se, median.df, 3, 0.05)


def test_a_floor_above_all_differences_is_said() -> None:
    arms = simulated(np.random.default_rng(11), [0.0, 0.01], 5)
    assert rank_arms(arms, design()).warnings == ()
    (warning,) = rank_arms(arms, design(floor_sd=0.1)).warnings
    assert "nothing can be told apart" in warning


# --- max calibration: only activation scales can differ -----------------------------------------------------


def test_max_calibration_sets_as_measured_are_tied_and_the_warning_says_why() -> None:
    # Six recipes, one draw each: recipe SD 0.0037, seed SD 0.0056, prompts nearly alike between sets.
    rng = np.random.default_rng(12)
    level = rng.gamma(20, 0.0184, 33)
    shifts = [-0.009, -0.004, -0.001, 0.001, 0.004, 0.009]
    arms = [arm(f"s{i}", [level + x + rng.normal(0, 0.005, 33)]) for i, x in enumerate(shifts)]
    ranking = rank_arms(arms, design(data_acts="activation-scales"))
    assert {pair.verdict for pair in ranking.pairs} == {"tied"}
    assert any(pair.verdict != "tied" for pair in rank_arms(arms, design()).pairs)  # what prompts alone claim
    (warning,) = ranking.warnings
    for words in ("one activation scale per linear", "0.0056", "0.0037", "fewer than 3 draws", "1.5 % of KL"):
        assert words in warning


def test_max_calibration_that_clips_activations_is_seen_even_with_one_draw() -> None:
    # facts: every amax halved gives 0.813 instead of 0.37
    level = np.random.default_rng(13).gamma(20, 0.0184, 33)
    pair = compare(arm("a", [level]), arm("b", [level * 2.2]), design(data_acts="activation-scales"))
    assert (pair.verdict, pair.scope) == ("better", "sets")


def test_max_calibration_with_draws_of_its_own_borrows_nothing() -> None:
    arms = simulated(np.random.default_rng(14), [0.0, 0.02], 3)
    (warning,) = rank_arms(arms, design(data_acts="activation-scales")).warnings
    assert "joins the standard error" not in warning


# --- simulations: seeded, so that they pass or fail alike everywhere ----------------------------------------


def test_four_arms_of_one_recipe_are_rarely_told_apart() -> None:
    runs = list(rankings(600, [0.0] * 4, 5, seed=21))
    assert {pair.scope for run in runs for pair in run.pairs} == {"recipes"}
    false = np.mean([any(pair.verdict != "tied" for pair in run.pairs) for run in runs])
    assert false <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 600)  # 4,000 runs give 0.030


def test_one_draw_tells_sets_of_one_recipe_apart_so_it_may_only_speak_of_sets() -> None:
    runs = list(rankings(300, [0.0] * 4, 1, seed=22))
    assert np.mean([any(pair.verdict != "tied" for pair in run.pairs) for run in runs]) > 0.25  # 0.36
    assert {pair.scope for run in runs for pair in run.pairs} == {"sets"}


def bootstrap_p(delta: FloatArray, rng: np.random.Generator) -> float:
    """Two-sided p of a bootstrap over prompts within tasks, as the first measurements used it."""
    picks = rng.integers(0, 11, (500, 11, 3))
    means = delta.reshape(11, 3)[picks, np.arange(3)].mean(axis=(1, 2))
    return 2 * float(min((means <= 0).mean(), (means >= 0).mean()))


@pytest.mark.parametrize(("draws", "at_least"), [(1, 0.2), (3, 0.1)])
def test_a_bootstrap_over_prompts_alone_is_anti_conservative(draws: int, at_least: float) -> None:
    rng = np.random.default_rng(23)
    false = []
    for _ in range(400):
        a, b = simulated(rng, [0.0, 0.0], draws)
        false.append(bootstrap_p(a.values.mean(0) - b.values.mean(0), rng) < 0.05)
    assert np.mean(false) > at_least


def test_intervals_cover_the_true_differences_together() -> None:
    truth = dict(zip("abcd", [0.0, 0.02, 0.04, 0.06], strict=True))
    covered, best = [], []
    for run in rankings(600, list(truth.values()), 5, seed=24):
        inside = [p.ci[0] <= truth[p.a] - truth[p.b] <= p.ci[1] for p in run.pairs]
        covered.append(all(inside))
        best.append("a" in run.best)
    assert np.mean(covered) >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / 600)  # 4,000 runs give 0.970
    assert np.mean(best) >= 0.95


def test_power_at_the_smallest_detectable_difference_is_80_percent() -> None:
    known = float(np.median([run.smallest_detectable for run in rankings(200, [0.0, 0.0], 5, seed=25)]))
    seen = np.mean([run.pairs[0].verdict == "better" for run in rankings(800, [0.0, known], 5, seed=26)])
    assert 0.75 <= seen <= 0.86  # 4,000 runs give 0.803
