"""Means of scores with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from curator.profile.figures import Estimate

_LEVEL = 0.95
_DIGITS = 4


def estimate(scores: Sequence[float], top: float) -> Estimate | None:
    """The mean of scores with its interval over items; ``None`` without any.

    Right-or-wrong scores (0 and 1, or 0 and 100) have Wilson's interval (J. Am. Stat. Assoc. 22, 1927, 209-212),
    which is none of length 0 where all are right; others Student's, cut at the scale's ends.

    Args:
        scores: of some items.
        top: the end of their scale, by `scale_end` of all items: a task where all are wrong does not show it.
    """
    if not scores:
        return None
    count, mean = len(scores), sum(scores) / len(scores)
    if math.isfinite(top) and set(scores) <= {0.0, top}:
        from scipy.stats import binomtest

        found = binomtest(sum(score == top for score in scores), count).proportion_ci(_LEVEL, method="wilson")
        return _made(count, mean, top * found.low, top * found.high)
    if count < 2:
        return Estimate(n=1, mean=round(mean, _DIGITS), low=None, high=None)
    from scipy.stats import t

    se = math.sqrt(sum((score - mean) ** 2 for score in scores) / (count - 1) / count)
    reach = float(t.ppf((1 + _LEVEL) / 2, count - 1)) * se
    # No score is beyond the scale's ends, nor is their mean.
    low = max(mean - reach, 0.0) if min(scores) >= 0 else mean - reach
    return _made(count, mean, low, min(mean + reach, top))


def scale_end(scores: Sequence[float]) -> float:
    """The end of a file's scale: 1, or 100 where scores are per cent."""
    most = max(scores, default=1.0)
    return 1.0 if most <= 1 else 100.0 if most <= 100 else math.inf


def _made(count: int, mean: float, low: float, high: float) -> Estimate:
    return Estimate(
        n=count, mean=round(mean, _DIGITS), low=round(float(low), _DIGITS), high=round(float(high), _DIGITS)
    )
