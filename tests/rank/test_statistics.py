from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curator._errors import InputError, RefusedError
from curator.rank.statistics import (
    ArmKL,
    Design,
    FloatArray,
    arm_interval,
    arm_mean,
    difference,
    scope_of,
)

# Two tasks of two prompts each, three draws. By hand, with weights 1/2 and 1/2:
#   A's draw means   (1+3)/2/2 + (2+6)/2/2 = 3, then 4 and 5:       mean 4,   s² 1, s²/3 = 1/3  on 2 df
#   B's draw means   1.5, 1.5, 4.5:                                 mean 2.5, s² 3, s²/3 = 1    on 2 df
#   draw-averaged A  2 4 | 3 7     draw-averaged B  2 2 | 3 3       difference 0 2 | 0 4
#   prompt variance  x: 1/4 * 2/2 = 1/4 on 1 df                     y: 1/4 * 8/2 = 1 on 1 df
A = [[1, 3, 2, 6], [2, 4, 3, 7], [3, 5, 4, 8]]
B = [[1, 1, 2, 2], [1, 1, 2, 2], [4, 4, 5, 5]]
XXYY = ("x", "x", "y", "y")


def arm(name: str, values: object, *, has_draws: bool = True, lower: object = None) -> ArmKL:
    bounds = None if lower is None else np.array(lower, dtype=float)
    return ArmKL(name, np.array(values, dtype=float), has_draws, null=False, lower=bounds)


def design(tasks: tuple[str, ...] = XXYY, **given: object) -> Design:
    weights = {task: 1 / len(set(tasks)) for task in tasks}
    return Design(**{"tasks": tasks, "weights": weights, "data_acts": "weights", **given})  # type: ignore[arg-type]


def careful_df(*parts: tuple[float, float]) -> float:
    """Least of Satterthwaite's degrees of freedom with one variance at a time at its upper 80 % limit."""
    several = [list(parts)]
    for place, (variance, df) in enumerate(parts):
        upper = variance * df / stats.chi2.ppf(0.2, df)
        several.append([*parts[:place], (upper, df), *parts[place + 1 :]])
    return min(sum(v for v, _ in one) ** 2 / sum(v**2 / df for v, df in one) for one in several)


def test_difference_of_a_small_example_done_by_hand() -> None:
    (estimate,) = difference(arm("a", A), arm("b", B), design())
    assert estimate.value == pytest.approx(1.5)
    assert estimate.se**2 == pytest.approx(1 / 3 + 1 + 1 / 4 + 1)  # 31/12
    df = careful_df((1 / 3, 2), (1, 2), (1 / 4, 1), (1, 1))
    assert 1 < df < 961 / 233  # (31/12)² / ((1/3)²/2 + 1²/2 + (1/4)²/1 + 1²/1) without care
    assert estimate.df == pytest.approx(df)
    assert estimate.p == pytest.approx(2 * stats.t.sf(1.5 / math.sqrt(31 / 12), df))


def test_how_a_draw_suits_a_prompt_counts_once() -> None:
    # Draw means 2 4 6: s²/3 = 4/3. Prompt means 3 5: 2/2 = 1. What is left: 0 0 | -1 1 | 1 -1, mean square 4/2,
    # of a mean over two prompts and three draws 2/6.
    given = design(("x", "x"))
    values = [[1, 3], [2, 6], [6, 6]]
    (estimate,) = difference(arm("a", values), arm("rtn", [[0, 0]], has_draws=False), given)
    assert estimate.se**2 == pytest.approx(4 / 3 + 1 - 1 / 3)
    # The sum is never below either of them: here draws do not differ, and prompts by 1.
    (bound,) = difference(arm("a", [[1, 5], [2, 4], [3, 3]]), arm("rtn", [[0, 0]], has_draws=False), given)
    assert bound.se**2 == pytest.approx(1)


def test_draws_that_two_arms_share_are_paired() -> None:
    sets = ("1", "2", "3")
    a, b = (ArmKL(name, np.array(values, float), True, False, sets=sets) for name, values in (("a", A), ("b", B)))
    (paired,) = difference(a, b, design())
    # Draws of the difference: 3 4 5 less 1.5 1.5 4.5: 1.5 2.5 0.5, s²/3 = 1/3; the prompts' parts stay.
    assert paired.se**2 == pytest.approx(1 / 3 + 1 / 4 + 1)
    assert paired.value == pytest.approx(1.5)
    other = ArmKL("b", np.array(B, float), True, False, sets=("1", "2", "4"))
    assert difference(a, other, design())[0].se ** 2 == pytest.approx(31 / 12)


def test_mean_and_interval_of_one_arm_done_by_hand() -> None:
    # 1/4 (task x: 2 and 4) + 1 (task y: 3 and 7) + 1/3 (draws) = 19/12
    half = stats.t.ppf(0.975, careful_df((1 / 4, 1), (1, 1), (1 / 3, 2))) * math.sqrt(19 / 12)
    assert arm_mean(arm("a", A), design()) == pytest.approx(4.0)
    low, high = arm_interval(arm("a", A), design())
    assert low == 0.0 == max(0.0, 4 - half)  # KL is not negative
    assert high == pytest.approx(4 + half)


def test_weights_apply_to_tasks_not_to_prompts() -> None:
    tasks = ("x", "x", "x", "y", "y")
    given = design(tasks, weights={"x": 0.2, "y": 0.8})
    one = arm("a", [[1, 2, 3, 10, 20]])
    assert arm_mean(one, given) == pytest.approx(0.2 * 2 + 0.8 * 15)
    (estimate,) = difference(one, arm("b", [[0, 0, 0, 0, 0]]), given)
    assert estimate.se**2 == pytest.approx(0.04 * 1 / 3 + 0.64 * 50 / 2)


def test_a_task_of_weight_zero_is_left_out_and_may_be_small() -> None:
    given = design(("x", "x", "y"), weights={"x": 1.0, "y": 0.0, "z": 0.0})
    assert arm_mean(arm("a", [[1, 2, 99]]), given) == pytest.approx(1.5)


def test_one_draw_and_one_task_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.gamma(4, 0.07, (2, 20))
    (estimate,) = difference(arm("a", [a]), arm("b", [b]), design(("x",) * 20))
    expected = stats.ttest_rel(a, b)
    assert estimate.p == pytest.approx(expected.pvalue)
    assert estimate.df == pytest.approx(19)
    assert estimate.interval(0.05) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert arm_interval(arm("a", [a]), design(("x",) * 20)) == pytest.approx(
        tuple(stats.ttest_1samp(a, 0).confidence_interval(0.95))
    )


def test_draw_noise_alone_is_welchs_t_test_of_the_draw_means_with_fewer_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    level = rng.gamma(4, 0.07, 12)  # shared by both arms, so that no prompt variance is left
    of_a, of_b = rng.normal(0, 0.01, (5, 1)), rng.normal(0.01, 0.03, (7, 1))
    (estimate,) = difference(arm("a", level + of_a), arm("b", level + of_b), design(("x",) * 12))
    expected = stats.ttest_ind(of_a[:, 0], of_b[:, 0], equal_var=False)
    assert estimate.value / estimate.se == pytest.approx(expected.statistic)
    variances = of_a.var(ddof=1) / 5, of_b.var(ddof=1) / 7
    assert estimate.df == pytest.approx(careful_df((variances[0], 4), (variances[1], 6)))
    assert 4 < estimate.df < expected.df


@pytest.mark.parametrize("draws", [1, 2])
def test_one_or_two_draws_add_no_draw_variance(draws: int) -> None:
    (estimate,) = difference(arm("a", A[:draws]), arm("b", np.zeros((draws, 4))), design())
    # each draw adds a constant, so the spread over prompts is that of the first: x 1, 3 and y 2, 6
    assert estimate.se**2 == pytest.approx(0.25 * 2 / 2 + 0.25 * 8 / 2)


def test_an_arm_without_draws_adds_no_draw_variance() -> None:
    (with_draws,) = difference(arm("a", A), arm("rtn", B), design())
    (without,) = difference(arm("a", A), arm("rtn", B, has_draws=False), design())
    assert without.se**2 == pytest.approx(with_draws.se**2 - 1)


def test_the_floor_joins_a_difference_twice_and_a_mean_once() -> None:
    floored = design(floor_sd=0.5)
    (estimate,) = difference(arm("a", A), arm("b", B), floored)
    assert estimate.se**2 == pytest.approx(31 / 12 + 2 * 0.25)
    known = (2 * 0.25, 1e6)
    assert estimate.df == pytest.approx(careful_df((1 / 3, 2), (1, 2), (1 / 4, 1), (1, 1), known))
    _, high = arm_interval(arm("a", A), floored)
    variance, df = 19 / 12 + 0.25, careful_df((1 / 4, 1), (1, 1), (1 / 3, 2), (0.25, 1e6))
    assert high == pytest.approx(4 + stats.t.ppf(0.975, df) * math.sqrt(variance), rel=1e-5)


def test_arms_have_floors_of_their_own() -> None:
    # Arm a repeats itself to within 0.5, arm b to within 0.1; of another arm only 0.7 is known.
    floored = design(floor_sd=0.7, floor_sds={"a": 0.5, "b": 0.1})
    (estimate,) = difference(arm("a", A), arm("b", B), floored)
    assert estimate.se**2 == pytest.approx(31 / 12 + 0.25 + 0.01)
    (other,) = difference(arm("a", A), arm("c", B), floored)
    assert other.se**2 == pytest.approx(31 / 12 + 0.25 + 0.49)
    _, own = arm_interval(arm("b", B), floored)
    _, same = arm_interval(arm("b", B), design(floor_sd=0.1))
    assert own == same


def test_the_floor_alone_gives_identical_arms_an_interval() -> None:
    (estimate,) = difference(arm("a", A[:1]), arm("b", A[:1]), design(floor_sd=0.01))
    assert (estimate.value, estimate.p) == (0.0, 1.0)
    assert estimate.interval(0.05)[1] == pytest.approx(1.959964 * 0.01 * math.sqrt(2), rel=1e-5)


def test_identical_arms_differ_by_nothing() -> None:
    (estimate,) = difference(arm("a", A[:1]), arm("b", A[:1]), design())
    assert (estimate.value, estimate.se, estimate.p) == (0.0, 0.0, 1.0)
    assert estimate.interval(0.05) == (0.0, 0.0)


def test_values_equal_up_to_rounding_count_as_equal() -> None:
    a = np.array([0.1, 0.2, 0.3, 0.4])
    (estimate,) = difference(arm("a", [a]), arm("b", [a + 1e-16]), design())
    assert (estimate.value, estimate.p) == (0.0, 1.0)


def test_a_difference_without_variation_is_certain_and_not_a_division_by_zero() -> None:
    (estimate,) = difference(arm("a", [[2, 2, 2, 2]]), arm("b", [[1, 1, 1, 1]]), design())
    assert (estimate.value, estimate.se, estimate.p) == (1.0, 0.0, 0.0)
    assert estimate.interval(0.05) == (1.0, 1.0)


def test_lower_bounds_give_a_second_estimate() -> None:
    main, bound = difference(arm("a", A, lower=B), arm("b", B, lower=A), design())
    assert main.value == pytest.approx(1.5)
    assert bound.value == pytest.approx(-1.5)


@pytest.mark.parametrize("draws", [1, 2])
def test_under_max_calibration_a_measured_draw_sd_stands_in_for_the_missing_one(draws: int) -> None:
    a, b = np.full((draws, 4), 0.4), np.full((draws, 4), 0.3)
    (estimate,) = difference(arm("a", a), arm("b", b), design(data_acts="activation-scales"))
    assert estimate.se**2 == pytest.approx(0.0152**2 * (0.16 + 0.09) / draws)
    assert estimate.df == pytest.approx(careful_df((0.16, 12), (0.09, 12)))


def test_under_max_calibration_three_draws_use_their_own_spread() -> None:
    as_weights = difference(arm("a", A), arm("b", B), design())
    assert difference(arm("a", A), arm("b", B), design(data_acts="activation-scales")) == as_weights


@pytest.mark.parametrize(
    ("draws_a", "draws_b", "scope"),
    [
        (1, 1, "sets"),
        (2, 9, "sets"),
        (3, 5, "provisional"),
        (4, 4, "provisional"),
        (5, 5, "recipes"),
        (7, 5, "recipes"),
        (1, None, "sets"),
        (5, None, "recipes"),
        (None, None, "recipes"),
    ],
)
def test_scope_follows_the_fewest_draws(draws_a: int | None, draws_b: int | None, scope: str) -> None:
    def of(name: str, draws: int | None) -> ArmKL:
        return arm(name, np.ones((draws or 1, 4)), has_draws=draws is not None)

    assert scope_of(of("a", draws_a), of("b", draws_b)) == scope


@pytest.mark.parametrize("values", [[1.0, 2.0], [], [[]], [[[1.0]]]])
def test_values_of_another_shape_are_refused(values: object) -> None:
    with pytest.raises(InputError, match=r"'mix'.*\[draws >= 1, prompts >= 1\]"):
        arm("mix", values)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(InputError, match=r"'mix': values of draw 1, prompt 2 is -?(nan|inf)"):
        arm("mix", [[1, 1, 1], [1, 1, bad]])
    with pytest.raises(InputError, match="'mix': lower of draw 0, prompt 0"):
        arm("mix", [[1.0]], lower=[[bad]])


def test_lower_bounds_of_another_shape_or_on_one_side_are_refused() -> None:
    with pytest.raises(InputError, match="lower has shape"):
        arm("mix", A, lower=[[1, 1, 1, 1]])
    with pytest.raises(InputError, match="'b' has no lower bounds"):
        difference(arm("a", A, lower=A), arm("b", B), design())


def test_other_prompts_than_the_designs_are_refused() -> None:
    with pytest.raises(InputError, match="'a' has 3 prompts, the design has 4"):
        arm_mean(arm("a", [[1, 2, 3]]), design())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tasks": ("x", "x", "y")}, r"task 'y' has 1 held-out prompt\(s\).* at least 2"),
        ({"tasks": ("x", "x"), "weights": {"x": 0.5, "y": 0.5}}, "task 'y' has 0 held-out"),
        ({"tasks": (), "weights": {}}, "add up to 0"),
        ({"weights": {"x": 1.0}}, "task 'y' has prompts but no weight"),
        ({"weights": {"x": 0.5, "y": 0.6}}, "add up to 1.1"),
        ({"weights": {"x": 1.5, "y": -0.5}}, "weight of task 'y' is -0.5"),
        ({"weights": {"x": math.nan, "y": 0.5}}, "weight of task 'x' is nan"),
        ({"alpha": 0.0}, "alpha is 0"),
        ({"margin": -0.1}, "margin is -0.1"),
        ({"floor_sd": math.nan}, "floor_sd is nan"),
        ({"floor_sds": {"a": -0.1}}, "floor_sd is -0.1"),
    ],
)
def test_a_design_that_cannot_be_used_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        design(**given)  # type: ignore[arg-type]


def test_nothing_to_compare_where_data_does_not_act() -> None:
    with pytest.raises(RefusedError, match="nothing to rank, measure once"):
        difference(arm("a", A), arm("b", B), design(data_acts="nothing"))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Two arms with draws of their own over two to three tasks of two to four prompts."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    tasks = tuple(f"task{i}" for i, size in enumerate(sizes) for _ in range(size))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    a = rng.gamma(4, 0.07, (draw(st.integers(1, 6)), len(tasks)))
    b = rng.gamma(4, 0.08, (draw(st.integers(1, 6)), len(tasks)))
    return a, b, tasks


@given(pairs())
def test_swapping_the_arms_turns_the_sign_only(drawn: tuple[FloatArray, FloatArray, tuple[str, ...]]) -> None:
    a, b, tasks = drawn
    (there,) = difference(arm("a", a), arm("b", b), design(tasks))
    (back,) = difference(arm("b", b), arm("a", a), design(tasks))
    assert back.value == -there.value
    assert (back.p, back.se, back.df) == pytest.approx((there.p, there.se, there.df))


@given(pairs(), st.randoms(use_true_random=False))
def test_the_order_of_prompts_and_draws_does_not_matter(
    drawn: tuple[FloatArray, FloatArray, tuple[str, ...]], random: object
) -> None:
    a, b, tasks = drawn
    order, draws = list(range(len(tasks))), list(range(len(a)))
    random.shuffle(order)  # type: ignore[attr-defined]
    random.shuffle(draws)  # type: ignore[attr-defined]
    (before,) = difference(arm("a", a), arm("b", b), design(tasks))
    moved = design(tuple(tasks[i] for i in order))
    (after,) = difference(arm("a", a[draws][:, order]), arm("b", b[:, order]), moved)
    assert (after.value, after.se, after.df) == pytest.approx((before.value, before.se, before.df), abs=1e-12)


@given(pairs(), st.floats(1e-6, 1e6))
def test_another_unit_scales_the_difference_and_keeps_p(
    drawn: tuple[FloatArray, FloatArray, tuple[str, ...]], unit: float
) -> None:
    a, b, tasks = drawn
    (nats,) = difference(arm("a", a), arm("b", b), design(tasks))
    (other,) = difference(arm("a", a * unit), arm("b", b * unit), design(tasks))
    assert (other.value, other.se) == pytest.approx((nats.value * unit, nats.se * unit))
    assert (other.df, other.p) == pytest.approx((nats.df, nats.p))
