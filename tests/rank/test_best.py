from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.rank.best import compare_with_best
from curator.rank.statistics import ArmKL, Design, difference
from curator.rank.verdict import rank_arms

DESIGN = Design(("x", "y") * 12, {"x": 0.5, "y": 0.5}, data_acts="weights")


def arms(means: list[float], draws: int, seed: int, sd: float = 0.01) -> list[ArmKL]:
    rng = np.random.default_rng(seed)
    level = 0.3 + rng.normal(0, 0.08, 24)
    values = [mean + level + rng.normal(0, sd, (draws, 1)) + rng.normal(0, 2 * sd, (draws, 24)) for mean in means]
    return [ArmKL(name, own, True, False) for name, own in zip("abcdefgh", values, strict=False)]


def test_two_arms_are_one_one_sided_interval() -> None:
    a, b = arms([0.0, 0.05], 5, 1)
    low, high = difference(b, a, DESIGN)[0].interval(0.10)
    assert low > 0
    first, second = compare_with_best([a, b], DESIGN)
    assert (first.ci, first.may_be_best) == ((pytest.approx(-high), 0.0), True)
    assert (second.ci, second.may_be_best) == ((0.0, pytest.approx(high)), False)


def test_three_arms_by_their_six_one_sided_intervals() -> None:
    given = arms([0.0, 0.006, 0.06], 5, 4)
    # b is not shown to be worse than a, c is; each end at 5 % / 2, one-sided: of a 95 % interval.
    ends = {
        (x.name, y.name): difference(x, y, DESIGN)[0].interval(0.05)[1] for x in given for y in given if x != y
    }
    assert ends["a", "b"] > 0 > ends["a", "c"]
    a, b, c = compare_with_best(given, DESIGN)
    assert [one.may_be_best for one in (a, b, c)] == [True, True, False]
    assert a.ci == pytest.approx((-min(ends["b", "a"], ends["c", "a"]), max(0, ends["a", "b"])))
    assert b.ci == pytest.approx((-min(ends["a", "b"], ends["c", "b"]), ends["b", "a"]))
    assert c.ci == pytest.approx((0, max(ends["c", "a"], ends["c", "b"])))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(3, 6))
def test_the_lowest_arm_may_be_best_and_intervals_hold_what_is_seen(seed: int, count: int, draws: int) -> None:
    rng = np.random.default_rng(seed)
    given = arms(list(rng.uniform(0, 0.06, count)), draws, seed)
    means = {arm.name: float(arm.values.mean()) for arm in given}
    found = compare_with_best(given, DESIGN)
    assert [one.name for one in found] == list(means)
    assert next(one for one in found if means[one.name] == min(means.values())).may_be_best
    for one in found:
        seen = means[one.name] - min(mean for name, mean in means.items() if name != one.name)
        assert one.ci[0] <= 0 <= one.ci[1]
        assert one.ci[0] - 1e-12 <= seen <= one.ci[1] + 1e-12
        assert one.may_be_best or one.ci[0] == 0
    ranking = rank_arms(given, DESIGN)
    beaten = {pair.b if pair.verdict == "better" else pair.a for pair in ranking.pairs if pair.verdict != "tied"}
    sharper = {one.name for one in ranking.from_best if not one.may_be_best}
    assert set(ranking.best) == set(means) - beaten - sharper != set()


def test_from_lists_an_arm_is_left_out_only_under_both_estimators() -> None:
    a, b = arms([0.0, 0.05], 5, 1)
    bound = {name: ArmKL(name, own.values, True, False, lower=own.values) for name, own in (("a", a), ("b", b))}
    assert [one.may_be_best for one in compare_with_best(list(bound.values()), DESIGN)] == [True, False]
    other = ArmKL("b", b.values, True, False, lower=a.values)
    assert all(one.may_be_best for one in compare_with_best([bound["a"], other], DESIGN))


def test_one_arm_has_no_other_and_one_or_two_draws_tell_nothing_of_recipes() -> None:
    assert compare_with_best(arms([0.0], 5, 1), DESIGN) == ()
    assert compare_with_best(arms([0.0, 0.1], 2, 1), DESIGN) == ()
    assert rank_arms(arms([0.0, 0.1], 2, 1), DESIGN).best == ("a",)  # by the table
