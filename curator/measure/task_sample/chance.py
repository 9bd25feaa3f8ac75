"""How likely a whole evaluation reaches a score, judged from a sample of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from curator._errors import InputError

_LEVEL = 0.95
MIN_ITEMS = 2


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that the mean score of an evaluation is at least a threshold.

    Attributes:
        threshold: 0 to 1.
        items: of the evaluation.
        chance: predictive: what is not known of the true mean is in it.
        ci: the chance if the true mean were at either end of its 95 % interval.
    """

    threshold: float
    items: int
    chance: float
    ci: tuple[float, float]


def chance_of_reaching(scores: Sequence[float], threshold: float, items: int) -> Chance:
    """Judge the next evaluation from the scores of a sample.

    Right-or-wrong scores: with Jeffreys' prior the number of right items among ``items`` is beta-binomial, and the
    interval is that of the true share (Brown, Cai and DasGupta 2001, Stat. Sci. 16, 101-133). Others: Student's
    predictive distribution of a mean of ``items``. Sample and evaluation are taken as two draws of items of one
    kind: where the sample is the evaluation itself, two runs differ only by the model's jitter, and the answer is
    cautious.

    Args:
        scores: 0 to 1, two at least.
        threshold: mean score that must be reached.
        items: of the evaluation whose score counts.

    Raises:
        InputError: too few scores, or numbers out of range.
    """
    if len(scores) < MIN_ITEMS:
        raise InputError(f"{len(scores)} scored items tell no chance; give two or more")
    if not 0 < threshold <= 1 or items < 1:
        raise InputError(f"threshold {threshold} over {items} items: give a share from 0 to 1 and 1 item or more")
    # The least number of points that reaches it; a rounding error must not ask for one more.
    needed = math.ceil(threshold * items - 1e-9)
    # Equal shares tell no spread: as if each were right or wrong with that chance, the widest that shares can be.
    if set(scores) <= {0.0, 1.0} or len(set(scores)) == 1:
        right = sum(scores)
        a, b = right + 0.5, len(scores) - right + 0.5
        low, high = (
            float(stats.binom.sf(needed - 1, items, stats.beta.ppf(level, a, b)))
            for level in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)
        )
        return Chance(threshold, items, float(stats.betabinom.sf(needed - 1, items, a, b)), (low, high))
    return _of_shares(np.array(scores, dtype=np.float64), threshold, items)


def _of_shares(scores: np.ndarray[tuple[int], np.dtype[np.float64]], threshold: float, items: int) -> Chance:
    count, mean, sd = len(scores), float(scores.mean()), float(scores.std(ddof=1))
    predicted = sd * math.sqrt(1 / count + 1 / items)
    chance = stats.t.sf((threshold - mean) / predicted, count - 1)
    reach = float(stats.t.ppf((1 + _LEVEL) / 2, count - 1)) * sd / math.sqrt(count)
    low, high = stats.norm.sf((threshold - np.array([mean - reach, mean + reach])) / (sd / math.sqrt(items)))
    return Chance(threshold, items, float(chance), (float(low), float(high)))
