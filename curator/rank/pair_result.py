"""How two arms compare."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from curator.rank.estimate import Estimate
from curator.rank.settle import Settle, settle
from curator.rank.statistics import Scope

Verdict = Literal["better", "worse", "tied"]
Family = Literal["user", "null"]


@dataclass(frozen=True)
class PairResult:
    """How arm `a` compares with arm `b`. Lower KL is better, so `a` is better when `ci` lies below 0.

    Attributes:
        a: name of the first arm.
        b: name of the second arm.
        mean_a: KL of `a`, nats a token.
        mean_b: KL of `b`, nats a token.
        diff: mean_a - mean_b.
        se: standard error of `diff` (of its main estimator, when there is a lower bound too).
        df: Satterthwaite degrees of freedom of `se`; 1e6 stands for a known variance.
        ci: interval of the difference, simultaneous over the family; excludes 0 unless the verdict is `tied`.
        p: two-sided, of this pair alone.
        p_adjusted: after Holm.
        verdict: of `a` relative to `b`.
        equivalent: `ci` lies inside ± `margin`; a pair can be separated and yet equivalent.
        margin: half-width of the equivalence region, nats a token: `margin_share` of the smaller mean.
        margin_share: the design's margin.
        scope: `sets`, the draw variance is not included and the verdict is about the sets at hand;
            `provisional`, it is, from 3 or 4 draws; `recipes`, from 5 or more.
        family: `null` when one of the arms is a null arm.
        family_size: number of pairs that Holm adjusts for.
        alpha: family-wise error rate.
        signs_agree: both list estimators give the difference the same sign; ``None`` from the full vocabulary.
        estimate: `diff` with everything that it varies by (of its main estimator).
    """

    a: str
    b: str
    mean_a: float
    mean_b: float
    diff: float
    se: float
    df: float
    ci: tuple[float, float]
    p: float
    p_adjusted: float
    verdict: Verdict
    equivalent: bool
    margin: float
    margin_share: float
    scope: Scope
    family: Family
    family_size: int
    alpha: float
    signs_agree: bool | None
    estimate: Estimate

    @cached_property
    def settle(self) -> Settle | None:
        """What would settle the pair; ``None`` where it is settled (separated, or equivalent) or nothing would."""
        if self.verdict != "tied" or self.equivalent:
            return None
        return settle(self.estimate, self.margin, self.family_size, self.alpha)
