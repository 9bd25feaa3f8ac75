"""How long a free-running candidate follows the text that it is compared with.

Each prompt gives the number of tokens that both wrote alike (`followed`) and the length of the reference's text
(`length`). A prompt departs at the first other token; one that reaches the end of its text has not departed and is
censored there. Nothing here looks at distributions: a mean over the tokens that were followed favours a candidate
that leaves the hard prompts early.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

LEVEL = 0.95
Counts = NDArray[np.int64]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Survival:
    """What a set of prompts shows.

    Attributes:
        prompts: their number.
        cap: tokens up to which they are watched.
        tokens: mean number of tokens followed up to the cap (restricted mean survival; Kaplan-Meier where texts
            end before the cap).
        tokens_ci: its 95 % interval over prompts; ``None`` with one prompt.
        departures: prompts that departed before the cap.
        at_risk: tokens written while still following, the one that departs included.
        hazard: departures per token at risk.
        hazard_ci: its 95 % interval over prompts; ``None`` with one prompt.
    """

    prompts: int
    cap: int
    tokens: float
    tokens_ci: Interval | None
    departures: int
    at_risk: int
    hazard: float
    hazard_ci: Interval | None


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """Number of tokens that two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def survival(followed: Counts, length: Counts, cap: int | None = None) -> Survival:
    """Summarise prompts.

    Args:
        followed: int [prompts], tokens written alike, at most ``length``.
        length: int [prompts], tokens of the reference's text, at least 1.
        cap: tokens up to which prompts are watched; the longest text when left out, and no more than that: behind
            it nothing was seen.
    """
    longest = int(length.max())
    cap = longest if cap is None else min(cap, longest)
    watched = np.minimum(length, cap)
    departed = followed < watched
    exposure = np.minimum(followed + 1, watched)
    mean, error = _restricted_mean(followed, departed, exposure, cap)
    departures, at_risk = int(departed.sum()), int(exposure.sum())
    tokens_ci = hazard_ci = None
    if len(followed) > 1:
        reach = float(student.ppf((1 + LEVEL) / 2, len(followed) - 1))
        hazard_ci = _hazard_interval(departed, exposure, reach)
        tokens_ci = max(0.0, mean - reach * error), min(float(cap), mean + reach * error)
        if departures == 0:
            # No spread was seen, which is no certainty: the mean under the largest hazard that is left.
            tokens_ci = float(((1 - hazard_ci[1]) ** np.arange(1, cap + 1)).sum()), float(cap)
    return Survival(
        prompts=len(followed),
        cap=cap,
        tokens=mean,
        tokens_ci=tokens_ci,
        departures=departures,
        at_risk=at_risk,
        hazard=departures / at_risk,
        hazard_ci=hazard_ci,
    )


def _restricted_mean(
    followed: Counts, departed: NDArray[np.bool_], exposure: Counts, cap: int
) -> tuple[float, float]:
    """The area under the Kaplan-Meier curve up to the cap, and its standard error (Greenwood, times n / (n - 1)).

    Without censoring before the cap these are the mean of ``min(followed, cap)`` and its usual standard error.
    """
    steps = np.arange(1, cap + 1)
    risk = (exposure[:, None] >= steps).sum(axis=0)
    events = ((followed[:, None] + 1 == steps) & departed[:, None]).sum(axis=0)
    hazard = np.divide(events, risk, out=np.zeros(cap), where=risk > 0)
    # Entry t: the chance to have followed at least t tokens.
    alive = np.cumprod(1 - hazard)
    behind = np.cumsum(alive[::-1])[::-1]
    # A step at which all depart ends the curve, and nothing behind it varies.
    open_steps = (hazard < 1) & (risk > 0)
    parts = behind[open_steps] ** 2 * hazard[open_steps] / ((1 - hazard[open_steps]) * risk[open_steps])
    count = len(followed)
    return float(alive.sum()), float(np.sqrt(parts.sum() * count / max(count - 1, 1)))


def _hazard_interval(departed: NDArray[np.bool_], exposure: Counts, reach: float) -> Interval:
    """Of a ratio of sums over prompts, on the logarithmic scale: prompts differ, so tokens are no repetitions.

    With no departure it is the exact bound for so many tokens at risk.
    """
    count, at_risk, departures = len(departed), int(exposure.sum()), int(departed.sum())
    if departures == 0:
        return 0.0, float(1 - ((1 - LEVEL) / 2) ** (1 / at_risk))
    hazard = departures / at_risk
    residuals = departed - hazard * exposure
    relative = float(np.sqrt(count / (count - 1) * (residuals**2).sum())) / departures
    return hazard * float(np.exp(-reach * relative)), min(1.0, hazard * float(np.exp(reach * relative)))
