"""Continuity of a long prompt from windows spread over it.

Windows are of 24 sentences, the fewest that may refuse a text, and stand where those of 32 would (see
``scores.windows``). Each is scored on its own, so that their spread gives a standard error, and asks the store.
Windows that are random text, or entries of a list, are low by that alone and are not embedded: of a prompt of
70,000 tokens, coded words take three times as long as prose to say nothing.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from curator.gates.random_text import RandomSpan
from curator.profile.low_share import Window
from curator.scores.continuity import AUTO_MIN, MIN_SENTENCES, MIN_SENTENCES_TO_REJECT, check_continuity
from curator.scores.ordered_lists import LIST_ORDER, order_z
from curator.scores.scorer import Scorer
from curator.scores.sentences import Sentence, sentence_spans
from curator.scores.windows import window_starts

_DIGITS = 3
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class WindowScores:
    """What the windows of a prompt say.

    Attributes:
        mean: mean continuity (z) of those scored; ``None`` without any.
        se: standard error of the mean; ``None`` with fewer than two.
        windows: how many were looked at.
        ruled: of these, random text and lists, which are not scored.
        low: of these, those ruled out and those below the limit.
        looked: where they are; those of fewer sentences than may refuse a text are not low here.
    """

    mean: float | None = None
    se: float | None = None
    windows: int = 0
    ruled: int = 0
    low: int = 0
    looked: tuple[Window, ...] = ()


def score_prompt(text: str, random: Sequence[RandomSpan], scorer: Scorer, windows: int) -> WindowScores:
    """Score a prompt by at most so many windows; one of no more sentences than a window by one.

    Args:
        text: the prompt.
        random: its random stretches, in order.
        scorer: scores the windows.
        windows: how many of a long prompt.

    Raises:
        DependencyError: the embedder cannot be loaded.
    """
    spans = sentence_spans(text)
    found: list[float] = []
    looked: list[Window] = []
    ruled = low = 0
    for start in window_starts([span.text for span in spans], windows):
        window = spans[start : start + MIN_SENTENCES_TO_REJECT]
        is_low = False
        if _is_random(window, random) or order_z([span.text for span in window]) > LIST_ORDER:
            ruled += 1
            is_low = len(window) >= MIN_SENTENCES_TO_REJECT
        # Of fewer there is nothing to score, and no model is needed to know it.
        elif len(window) >= MIN_SENTENCES:
            scores = scorer.score(window).flat()
            found.append(float(scores["continuity"]))
            is_low = check_continuity(scores, AUTO_MIN) is not None
            low += is_low
        if window:
            looked.append(Window(window[0].start, window[-1].end, is_low))
    return WindowScores(*_mean(found), ruled + len(found), ruled, ruled + low, tuple(looked))


def _mean(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean and its standard error."""
    if not values:
        return None, None
    mean = round(statistics.fmean(values), _DIGITS)
    return mean, round(statistics.stdev(values) / len(values) ** 0.5, _DIGITS) if len(values) > 1 else None


def _is_random(window: Sequence[Sentence], random: Sequence[RandomSpan]) -> bool:
    """Whether most of a window's characters are random."""
    if not window:
        return False
    start, end = window[0].start, window[-1].end
    covered = sum(max(min(one.end, end) - max(one.start, start), 0) for one in random)
    return covered > _MOSTLY * (end - start)
