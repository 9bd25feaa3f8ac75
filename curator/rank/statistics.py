"""Means of arms, differences between arms, and how sure we are of them.

Two things are random in a ranking: which prompts were held out (within each task), and which documents a
recipe happened to draw. A mean over R draws and P prompts therefore carries two variances, and the prompts
are shared by all arms while the draws are not. For the difference of arms a and b

    SE² = s²_a / R_a + s²_b / R_b          variance of an arm's draw means
        + Σ_t w_t² s²_t / n_t              variance over a task's prompts of the draw-averaged difference
        + 2 floor²                         the same estimate repeated

with degrees of freedom by Satterthwaite (1946). The interaction of draw and prompt is in both of the first
two lines, so the sum errs towards a wide interval, as resampling of crossed designs does (McCullagh 2000,
"Resampling and exchangeable arrays"; Owen 2007, "The pigeonhole bootstrap"). A variance over prompts alone
describes the *sets* at hand and is far too small for statements about recipes.

All values are nats a token.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from curator._errors import InputError, RefusedError
from curator.rank.statistical_design import ArmKL, DataActs, Design, FloatArray

__all__ = [
    "ArmKL",
    "DataActs",
    "Design",
    "Estimate",
    "FloatArray",
    "Scope",
    "arm_interval",
    "arm_mean",
    "difference",
    "scope_of",
]

Scope = Literal["sets", "provisional", "recipes"]

MIN_DRAWS_PROVISIONAL = 3
"""Draws from which the variance between draws is estimated."""
MIN_DRAWS_RECIPES = 5
"""Draws from which a verdict is about the recipe."""

MAX_CALIBRATION_DRAW_SD = 0.0152
"""SD between draws of one recipe under max calibration, as a share of KL: 0.0056 of 0.368 nats, measured on
6 recipes × 3 draws (SmolLM2-135M-Instruct, W4A4). Stands in for the missing estimate at one or two draws."""
MAX_CALIBRATION_DRAW_DF = 12
"""Degrees of freedom of that measurement: 6 recipes × (3 - 1)."""

NOTHING_TO_RANK = (
    "data cannot change anything under round to nearest W4A16: nothing to rank, measure once; "
    "to rank sets use a method on which data acts, such as GPTQ or AWQ"
)

_ROUNDING = 1e-12  # two values that differ by less than this share of themselves are the same value
_MAX_DF = 1e6  # stands for "known exactly"; strict JSON has no infinity


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error and degrees of freedom (finite: 1e6 stands for a known variance)."""

    value: float
    se: float
    df: float

    @property
    def p(self) -> float:
        """Two-sided p of "the true value is 0".

        Without any observed variation (`se` 0) a value of 0 gives 1, any other value gives 0.
        """
        if self.se == 0:
            return 1.0 if self.value == 0 else 0.0
        return float(2 * special.stdtr(self.df, -abs(self.value) / self.se))

    def interval(self, alpha: float) -> tuple[float, float]:
        """Two-sided t interval that misses with probability `alpha`; a point when `se` is 0."""
        half = 0.0 if self.se == 0 else float(-special.stdtrit(self.df, alpha / 2)) * self.se
        return self.value - half, self.value + half


def arm_mean(arm: ArmKL, design: Design) -> float:
    """KL of an arm: mean over draws, then over a task's prompts, then over tasks by weight. Nats a token."""
    return _weighted(_draw_average(arm, arm.values, design), design)


def arm_interval(arm: ArmKL, design: Design) -> tuple[float, float]:
    """Pointwise t interval of an arm's mean, at 1 - alpha, not adjusted for the number of arms.

    The draw variance is in it from three draws on; with one or two the interval is that of these sets. The
    floor joins once. The ends are cut at 0, because KL is not negative. Overlap of two such intervals says
    nothing about their difference, which is measured on the same prompts: see `difference`.
    """
    averaged = _draw_average(arm, arm.values, design)
    parts = [
        *_prompt_parts(averaged, design),
        *_draw_parts(arm, arm.values, design),
        (design.floor_sd**2, _MAX_DF),
    ]
    low, high = _combine(_weighted(averaged, design), parts).interval(design.alpha)
    return max(0.0, low), max(0.0, high)


def scope_of(a: ArmKL, b: ArmKL) -> Scope:
    """Say what a comparison may speak of: the fewer draws decide, arms without draws do not count."""
    draws = min((arm.draws for arm in (a, b) if arm.has_draws), default=MIN_DRAWS_RECIPES)
    if draws >= MIN_DRAWS_RECIPES:
        return "recipes"
    return "provisional" if draws >= MIN_DRAWS_PROVISIONAL else "sets"


def difference(a: ArmKL, b: ArmKL, design: Design) -> tuple[Estimate, ...]:
    """Mean of `a` minus mean of `b`, paired by prompt; negative when `a` is better.

    An arm's draw variance is in it from three draws on. With one or two it is not: the standard error is
    then that of the sets at hand. Under max calibration (`activation-scales`), where draws move KL more
    than recipes do, the measured `MAX_CALIBRATION_DRAW_SD` stands in for the missing estimate.

    Returns:
        One estimate, or two when the arms have lower bounds: first from the values, then from the bounds.

    Raises:
        InputError: prompts that do not match the design, or a lower bound on one arm only.
        RefusedError: data cannot change anything under this method.
    """
    if design.data_acts == "nothing":
        raise RefusedError(NOTHING_TO_RANK)
    if (a.lower is None) != (b.lower is None):
        bare = a.name if a.lower is None else b.name
        raise InputError(f"arm {bare!r} has no lower bounds, the other arm has; score both alike")
    estimates = [_one_difference(a, b, a.values, b.values, design)]
    if a.lower is not None and b.lower is not None:
        estimates.append(_one_difference(a, b, a.lower, b.lower, design))
    return tuple(estimates)


def _one_difference(a: ArmKL, b: ArmKL, of_a: FloatArray, of_b: FloatArray, design: Design) -> Estimate:
    mean_a, mean_b = _draw_average(a, of_a, design), _draw_average(b, of_b, design)
    delta = mean_a - mean_b
    delta[np.abs(delta) <= _ROUNDING * np.maximum(np.abs(mean_a), np.abs(mean_b))] = 0.0
    parts = [*_prompt_parts(delta, design), (2 * design.floor_sd**2, _MAX_DF)]
    for arm, values in ((a, of_a), (b, of_b)):
        parts += _draw_parts(arm, values, design) or _borrowed_draw_parts(arm, values, design)
    return _combine(_weighted(delta, design), parts)


def _draw_average(arm: ArmKL, values: FloatArray, design: Design) -> FloatArray:
    if values.shape[1] != len(design.tasks):
        raise InputError(
            f"arm {arm.name!r} has {values.shape[1]} prompts, the design has {len(design.tasks)}; "
            "score every arm on the same held-out prompts"
        )
    return np.asarray(values.mean(axis=0), dtype=np.float64)


def _weighted(per_prompt: FloatArray, design: Design) -> float:
    return float(per_prompt @ design.prompt_weights)


def _prompt_parts(per_prompt: FloatArray, design: Design) -> list[tuple[float, float]]:
    """Variance of the weighted mean, a task at a time: w² s² / n with n - 1 degrees of freedom."""
    parts = []
    for task, prompts in design.strata.items():
        variance = design.weights[task] ** 2 * float(per_prompt[prompts].var(ddof=1)) / len(prompts)
        parts.append((variance, len(prompts) - 1.0))
    return parts


def _draw_parts(arm: ArmKL, values: FloatArray, design: Design) -> list[tuple[float, float]]:
    """Variance of the mean over draws: s² / R with R - 1 degrees of freedom; nothing below three draws."""
    if not arm.has_draws or arm.draws < MIN_DRAWS_PROVISIONAL:
        return []
    means = values @ design.prompt_weights
    return [(float(means.var(ddof=1)) / arm.draws, arm.draws - 1.0)]


def _borrowed_draw_parts(arm: ArmKL, values: FloatArray, design: Design) -> list[tuple[float, float]]:
    if not arm.has_draws or design.data_acts != "activation-scales":
        return []
    sd = MAX_CALIBRATION_DRAW_SD * float((values @ design.prompt_weights).mean())
    return [(sd**2 / arm.draws, MAX_CALIBRATION_DRAW_DF)]


def _combine(value: float, parts: Sequence[tuple[float, float]]) -> Estimate:
    """Sum of independent variances, with Satterthwaite's degrees of freedom (Σv)² / Σ(v² / df)."""
    total = math.fsum(variance for variance, _ in parts)
    if total <= 0:
        return Estimate(value, 0.0, _MAX_DF)
    shares = math.fsum((variance / total) ** 2 / df for variance, df in parts)
    return Estimate(value, math.sqrt(total), min(1 / shares, _MAX_DF))
