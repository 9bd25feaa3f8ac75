"""BF16's answers beside a candidate's: scores, flips, lengths, and how they end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from curator.measure.task_sample.answers import Answer
from curator.profile.estimate import estimate
from curator.profile.task_scoring import flips

_LEVEL = 0.95


def compare_answers(baseline: Sequence[Answer], candidate: Sequence[Answer]) -> dict[str, Any]:
    """Compare two models' answers to the same items.

    Args:
        baseline: of BF16.
        candidate: in the same order.

    Returns:
        ``all`` and ``by_task``, each with ``items``, ``reference`` and ``candidate`` (mean score with a 95 %
        interval, shares of answers that were cut and that loop, with Wilson's intervals, mean tokens),
        ``difference`` of the mean scores with its interval over items, ``flips`` with the exact two-sided p of
        McNemar's test, and ``length_ratio`` with its interval. An interval is ``None`` where one item gives none.
    """
    tasks = dict.fromkeys(answer.task for answer in baseline)
    pairs = list(zip(baseline, candidate, strict=True))
    return {
        "all": _compared(pairs),
        "by_task": {task: _compared([pair for pair in pairs if pair[0].task == task]) for task in tasks},
    }


def _compared(pairs: Sequence[tuple[Answer, Answer]]) -> dict[str, Any]:
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    scores = [[answer.score for answer in side] for side in (before, after)]
    changed = flips(*scores)
    return {
        "items": len(pairs),
        "reference": _side(before),
        "candidate": _side(after),
        "difference": _mean_difference(*scores),
        "flips": {
            "right_to_wrong": changed.right_to_wrong,
            "wrong_to_right": changed.wrong_to_right,
            "p": mcnemar_exact(changed.right_to_wrong, changed.wrong_to_right),
        },
        "length_ratio": _ratio([answer.tokens for answer in before], [answer.tokens for answer in after]),
    }


def mcnemar_exact(one: int, other: int) -> float:
    """Two-sided p of McNemar's exact test: of ``one + other`` items that changed sides, each way equally likely.

    Source: McNemar (1947), Psychometrika 12, 153-157, with the binomial instead of the normal distribution.
    """
    return float(stats.binomtest(one, one + other).pvalue) if one + other else 1.0


def _side(answers: Sequence[Answer]) -> dict[str, Any]:
    found = estimate([answer.score for answer in answers], 1.0)
    return {
        "score": None if found is None else {"mean": found.mean, "ci": _both(found.low, found.high)},
        "cut": _share(answers, lambda answer: not answer.finished),
        "loops": _share(answers, lambda answer: answer.loop),
        "tokens": sum(answer.tokens for answer in answers) / len(answers),
    }


def _share(answers: Sequence[Answer], holds: Callable[[Answer], bool]) -> dict[str, Any]:
    found = estimate([float(holds(answer)) for answer in answers], 1.0)
    return {} if found is None else {"mean": found.mean, "ci": _both(found.low, found.high)}


def _both(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]


def _mean_difference(before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    """Mean of candidate minus BF16 with Student's interval over items.

    Where no item changed there is no spread to go by: the interval is then what a share of changed items can be of
    which none was seen (Clopper and Pearson's), in either direction.
    """
    delta = np.array(after) - np.array(before)
    reach = _reach(delta) if delta.any() else 1 - ((1 - _LEVEL) / 2) ** (1 / len(delta))
    mean = float(delta.mean())
    return {"mean": mean, "ci": None if reach is None else [mean - reach, mean + reach]}


def _ratio(before: Sequence[int], after: Sequence[int]) -> dict[str, Any]:
    """Mean length of the candidate over that of BF16, with an interval by the delta method over items."""
    ratio = sum(after) / sum(before)
    residual = (np.array(after) - ratio * np.array(before)) / float(np.mean(before))
    reach = _reach(residual)
    return {"mean": ratio, "ci": None if reach is None else [max(ratio - reach, 0.0), ratio + reach]}


def _reach(values: Any) -> float | None:
    """Half-width of Student's 95 % interval of a mean."""
    count = len(values)
    if count < 2:
        return None
    return float(stats.t.ppf((1 + _LEVEL) / 2, count - 1)) * float(values.std(ddof=1)) / math.sqrt(count)
