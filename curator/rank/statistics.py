"""Means of arms, differences between arms, and how sure we are of them.

Two things are random in a ranking: which prompts were held out (within each task), and which documents a
recipe happened to draw. A mean over R draws and P prompts therefore carries two variances, and the prompts
are shared by all arms while the draws are not. For the difference of arms a and b

    SE² = s²_a / R_a + s²_b / R_b          variance of an arm's draw means
        + Σ_t w_t² s²_t / n_t              variance over a task's prompts of the draw-averaged difference
        - Σ_t w_t² (m²_at / R_a + m²_bt / R_b) / n_t
        + floor²_a + floor²_b              the same estimate repeated

where m² is the variance of how one draw suits one prompt, which the first two lines hold both (the mean square of
the interaction in a table of draws by prompts); the sum is never below either line. Draws that two arms share (one
recipe under two methods) are paired: their first line is the variance of the draws' differences. A variance over
prompts alone describes the *sets* at hand and is far too small for statements about recipes.

All values are nats a token.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from curator._errors import InputError, RefusedError
from curator.rank.estimate import KNOWN, Estimate, Part, combine
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
    draws, shared = _draw_parts(arm, arm.values, design)
    parts = [*_prompt_parts(averaged, design), *draws, Part(design.floor_variance(arm), KNOWN, "floor")]
    low, high = combine(_weighted(averaged, design), parts, shared).interval(design.alpha)
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
    floor = design.floor_variance(a) + design.floor_variance(b)
    parts = [*_prompt_parts(delta, design), Part(floor, KNOWN, "floor")]
    pieces = ((a, of_a - of_b),) if _same_sets(a, b) else ((a, of_a), (b, of_b))
    shared = 0.0
    for arm, values in pieces:
        own, twice = _draw_parts(arm, values, design)
        parts += own
        shared += twice
        if not own:
            parts += _borrowed_draw_parts(arm, values, design)
    return combine(_weighted(delta, design), parts, shared)


def _same_sets(a: ArmKL, b: ArmKL) -> bool:
    """Whether the arms are one recipe's draws, each measured under both."""
    return bool(a.sets) and all(a.sets) and a.sets == b.sets and a.has_draws and b.has_draws and a.draws == b.draws


def _draw_average(arm: ArmKL, values: FloatArray, design: Design) -> FloatArray:
    if values.shape[1] != len(design.tasks):
        raise InputError(
            f"arm {arm.name!r} has {values.shape[1]} prompts, the design has {len(design.tasks)}; "
            "score every arm on the same held-out prompts"
        )
    return np.asarray(values.mean(axis=0), dtype=np.float64)


def _weighted(per_prompt: FloatArray, design: Design) -> float:
    return float(per_prompt @ design.prompt_weights)


def _prompt_parts(per_prompt: FloatArray, design: Design) -> list[Part]:
    """Variance of the weighted mean, a task at a time: w² s² / n with n - 1 degrees of freedom."""
    parts = []
    for task, prompts in design.strata.items():
        variance = design.weights[task] ** 2 * float(per_prompt[prompts].var(ddof=1)) / len(prompts)
        parts.append(Part(variance, len(prompts) - 1.0, "prompts", len(prompts)))
    return parts


def _draw_parts(arm: ArmKL, values: FloatArray, design: Design) -> tuple[list[Part], float]:
    """Variance of the mean over draws, s² / R with R - 1 degrees of freedom; what of it is in the prompts' too.

    Nothing below three draws.
    """
    if not arm.has_draws or arm.draws < MIN_DRAWS_PROVISIONAL:
        return [], 0.0
    means = values @ design.prompt_weights
    part = Part(float(means.var(ddof=1)) / arm.draws, arm.draws - 1.0, "draws", arm.draws)
    return [part], _interaction(values, design) / arm.draws


def _interaction(values: FloatArray, design: Design) -> float:
    """Variance that how one draw suits each prompt, beyond draw and prompt themselves, gives to its mean."""
    rest = values - values.mean(axis=0)
    variance = 0.0
    for task, prompts in design.strata.items():
        cells, size = rest[:, prompts], len(prompts)
        # Sum of squares about both means: the cells' own mean is 0.
        squares = float(np.vdot(cells, cells)) - float((cells.sum(axis=1) ** 2).sum()) / size
        variance += design.weights[task] ** 2 * max(squares, 0.0) / ((len(values) - 1) * (size - 1)) / size
    return variance


def _borrowed_draw_parts(arm: ArmKL, values: FloatArray, design: Design) -> list[Part]:
    if not arm.has_draws or design.data_acts != "activation-scales":
        return []
    sd = MAX_CALIBRATION_DRAW_SD * float((arm.values @ design.prompt_weights).mean())
    return [Part(sd**2 / arm.draws, MAX_CALIBRATION_DRAW_DF, "draws", arm.draws)]
