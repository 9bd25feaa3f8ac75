"""Area under the curve with an interval by bootstrap over units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

_RESAMPLES = 400


@dataclass(frozen=True, slots=True)
class Auc:
    """How often a good text ranks above a bad one.

    Attributes:
        value: 1.0 always, 0.5 as by chance.
        low: end of the 95 % interval.
        high: end of the 95 % interval.
        windows: good texts.
        units: documents they are from.
    """

    value: float
    low: float
    high: float
    windows: int
    units: int


def paired(units: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Auc:
    """Good and bad scores of each unit; both are resampled together."""
    draws = _draws(len(units))
    values = [_of([units[number] for number in draw]) for draw in draws]
    return _summary(_of(units), values, sum(len(good) for good, _ in units), len(units))


def against(good: Sequence[Sequence[float]], bad: Sequence[float]) -> Auc:
    """Scores of good units, and of bad texts each a unit of its own."""
    rng = np.random.default_rng(1)
    values = []
    for draw in _draws(len(good)):
        chosen = [score for number in draw for score in good[number]]
        values.append(_area(chosen, rng.choice(np.asarray(bad), len(bad))))
    every = [score for unit in good for score in unit]
    return _summary(_area(every, bad), values, len(every), len(good))


def _draws(count: int) -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, count, count).tolist() for _ in range(_RESAMPLES)]


def _of(units: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    return _area([score for good, _ in units for score in good], [score for _, bad in units for score in bad])


def _area(good: Sequence[float] | np.ndarray, bad: Sequence[float] | np.ndarray) -> float:
    ranks = rankdata(np.concatenate([good, bad]))
    below = float(ranks[: len(good)].sum()) - len(good) * (len(good) + 1) / 2
    return below / (len(good) * len(bad))


def _summary(value: float, values: list[float], windows: int, units: int) -> Auc:
    low, high = np.quantile(values, [0.025, 0.975])
    return Auc(round(value, 4), round(float(low), 4), round(float(high), 4), windows, units)
