"""How many of a set's tokens lie in text without continuous meaning, counted by score and not by label.

A needle in good prose is continuous text almost everywhere; a list of UUIDs nowhere. The label of a generator only
exempts its texts from the gates that look for accidents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from curator.gates.random_text import find_random_text
from curator.tokens.pack import Segment
from curator.tokens.span_tokens import Span, count_by_span
from curator.tokens.tokenizer import Tokenizer

SpansOf = Callable[[Segment], Sequence[Span]]


class LowShares:
    """The part of a segment's tokens in random text and in windows of sentences that do not go on; found once.

    Args:
        low_windows: offsets in a segment's text of windows whose continuity is too low.
        tokenizer: tokens are shared out between a segment's spans as it cuts them.
    """

    def __init__(self, low_windows: SpansOf, tokenizer: Tokenizer) -> None:
        self._low_windows = low_windows
        self._tokenizer = tokenizer
        self._known: dict[str, float] = {}

    def __call__(self, segment: Segment) -> float:
        """The part, from 0 to 1."""
        if segment.piece not in self._known:
            random = [(span.start, span.end) for span in find_random_text(segment.text).spans]
            spans = _merged([*random, *self._low_windows(segment)])
            self._known[segment.piece] = _token_share(segment.text, spans, self._tokenizer)
        return self._known[segment.piece]


@dataclass(frozen=True, slots=True)
class LowContinuity:
    """Shares of a set's tokens.

    Attributes:
        share: of all tokens that documents gave.
        by_task: of each task's.
    """

    share: float
    by_task: dict[str, float]


def low_continuity(segments: Sequence[Segment], placed: Mapping[str, int], low_share: LowShares) -> LowContinuity:
    """Count the tokens in random text and in windows of sentences that do not go on from one to the next.

    Args:
        segments: of the set, once each.
        placed: tokens that reach the model, by the id of the segment's piece.
        low_share: the part of a segment's tokens.
    """
    low: defaultdict[str, float] = defaultdict(float)
    every: Counter[str] = Counter()
    for segment in segments:
        low[segment.task] += low_share(segment) * placed[segment.piece]
        every[segment.task] += placed[segment.piece]
    by_task = {task: low[task] / count for task, count in sorted(every.items()) if count}
    return LowContinuity(sum(low.values()) / every.total() if every else 0.0, by_task)


def _token_share(text: str, spans: Sequence[Span], tokenizer: Tokenizer) -> float:
    if not spans:
        return 0.0
    low, rest = count_by_span(text, spans, tokenizer)
    return low / (low + rest) if low else 0.0


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The same characters as spans that do not overlap, in order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
