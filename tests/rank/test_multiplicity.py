from __future__ import annotations

import pytest
from scipy import optimize, stats

from curator.rank.multiplicity import compatible_interval, detectable_difference, holm, joint_p
from curator.rank.statistics import Estimate

KNOWN = 1e6  # degrees of freedom of a known variance: z instead of t


def test_holm_on_the_textbook_example() -> None:
    # sorted .005*4 = .02, .01*3 = .03, .03*2 = .06, .04*1 = .04 -> at least the .06 before it
    steps = holm([0.01, 0.04, 0.03, 0.005], 0.05)
    assert [step.adjusted_p for step in steps] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [step.rejected for step in steps] == [True, False, False, True]  # .04 < .05 alone, but .03 stopped
    assert [step.level for step in steps] == pytest.approx([0.05 / 3, 0.05, 0.025, 0.0125])
    assert holm([], 0.05) == []


def test_a_sign_needs_both_estimators() -> None:
    strong, weak = Estimate(-3.0, 1.0, KNOWN), Estimate(-1.0, 1.0, KNOWN)
    assert joint_p([strong, weak]) == pytest.approx(2 * stats.norm.sf(1), rel=1e-4)
    assert joint_p([strong, Estimate(3.0, 1.0, KNOWN)]) == 1.0


def test_the_interval_of_a_pair_that_only_a_later_step_of_holm_separates() -> None:
    pairs = [[Estimate(5.0, 1.0, KNOWN)], [Estimate(-2.0, 1.0, KNOWN)], [Estimate(0.5, 1.0, KNOWN)]]
    # p: 6e-7 < .05/3; .0455 > .05/2. Two pairs only: .0455 < .05/1, though Bonferroni's z is 2.2414
    three = holm([joint_p(pair) for pair in pairs], 0.05)
    assert [step.rejected for step in three] == [True, False, False]
    two = holm([joint_p(pair) for pair in pairs[:2]], 0.05)
    assert [step.rejected for step in two] == [True, True]
    assert compatible_interval(pairs[0], two[0], 0.05, 2) == pytest.approx((5 - 2.2414, 5 + 2.2414), abs=1e-4)
    assert compatible_interval(pairs[1], two[1], 0.05, 2) == pytest.approx((-2 - 2.2414, -2 + 1.96), abs=1e-4)


def test_detectable_difference_solves_the_noncentral_t() -> None:
    critical = stats.t.isf(0.05 / 6 / 2, 9.5)
    expected = optimize.brentq(lambda shift: stats.nct.sf(critical, 9.5, shift) - 0.8, 1, 20)
    assert detectable_difference(0.01, 9.5, 6, 0.05) == pytest.approx(0.01 * expected, rel=1e-5)
    # a known variance: z of 0.975 plus z of 0.8 = 1.95996 + 0.84162
    assert detectable_difference(1.0, KNOWN, 1, 0.05) == pytest.approx(2.80158, rel=1e-4)
    assert detectable_difference(0.0, KNOWN, 3, 0.05) == 0.0
