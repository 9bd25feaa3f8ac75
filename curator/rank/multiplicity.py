"""Many comparisons at once: Holm's procedure, intervals that agree with it, and what it can detect.

Verdicts are by Holm (1979), which keeps the probability of one or more false verdicts in a family of m
pairs at alpha whatever the dependence between pairs. Intervals are the family's simultaneous Bonferroni t
intervals: all m cover together with probability 1 - alpha. Holm separates a few pairs more than those
intervals do; for such a pair the exact compatible interval stops at 0 (Strassburger and Bretz 2008,
Guilbaud 2008: a stepwise gain buys the sign, not the size). We end that one side where the t interval at
the pair's own Holm level ends, which is just past 0, and leave the other side alone. So an interval
excludes 0 exactly when Holm separates the pair. The price: verdicts and intervals are each right together
with probability 1 - alpha, but both at once only with 1 - 2 alpha at worst (93.9 % in our worst simulation,
two equal arms among two far apart); each single interval keeps 1 - alpha.

A two-sided rejection is read as the sign of the difference. For pairwise t statistics the rate of wrong
signs stays within alpha in the cases studied (Westfall, Bretz and Tobias 2013), though no general proof
exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from curator.rank.estimate import Estimate


@dataclass(frozen=True)
class HolmStep:
    """One comparison's place in Holm's procedure.

    Attributes:
        rejected: "no difference" is rejected.
        level: the two-sided level at which this comparison was tested, or would have been.
        adjusted_p: smallest family-wise alpha that would reject it.
    """

    rejected: bool
    level: float
    adjusted_p: float


def holm(p_values: Sequence[float], alpha: float, count: int | None = None) -> list[HolmStep]:
    """Run Holm's step-down procedure: the i-th smallest p of m is tested at alpha / (m - i + 1).

    Equal p values share one outcome, because the level only grows.

    Args:
        p_values: of the comparisons that are tested now.
        alpha: family-wise error rate.
        count: m, when others of the family may not be rejected now; at least the number of p values.
    """
    count = len(p_values) if count is None else count
    steps: dict[int, HolmStep] = {}
    open_still, adjusted = True, 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        level = alpha / (count - rank)
        adjusted = max(adjusted, min(1.0, p_values[index] * (count - rank)))
        open_still = open_still and p_values[index] < level
        steps[index] = HolmStep(open_still, level, adjusted)
    return [steps[index] for index in range(len(p_values))]


def joint_p(estimates: Sequence[Estimate]) -> float:
    """P value of "the difference has no one sign under every estimator".

    The intersection-union test of Berger (1982): a sign is claimed only if each estimator claims it, so the
    largest p counts and no further adjustment is due. Estimators that disagree about the sign give 1.
    """
    signs = {float(np.sign(estimate.value)) for estimate in estimates}
    return max(estimate.p for estimate in estimates) if len(signs) == 1 else 1.0


def joint_interval(estimates: Sequence[Estimate], alpha: float) -> tuple[float, float]:
    """Smallest interval that holds every estimator's own; it excludes 0 exactly when `joint_p` < alpha."""
    intervals = [estimate.interval(alpha) for estimate in estimates]
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def compatible_interval(
    estimates: Sequence[Estimate], step: HolmStep, alpha: float, count: int
) -> tuple[float, float]:
    """Interval of one comparison out of `count`, in agreement with its Holm step (see the module's text)."""
    low, high = joint_interval(estimates, alpha / count)
    if step.rejected and low <= 0 <= high:
        near_low, near_high = joint_interval(estimates, step.level)
        if near_low > 0:
            return near_low, high
        return low, near_high
    return low, high


def detectable_difference(se: float, df: float, count: int, alpha: float, power: float = 0.8) -> float:
    """Smallest true difference that one pair out of `count` shows with the given power, nats a token.

    At Holm's first step, alpha / count, which is the hardest: the figure holds whatever the other pairs do.
    Power is that of the noncentral t distribution.
    """
    critical = -float(special.stdtrit(df, alpha / count / 2))
    return float(special.nctdtrinc(df, 1 - power, critical)) * se
