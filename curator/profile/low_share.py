"""How many of a prompt's tokens lie in text without continuity, counted as ``curate build`` counts a set's.

That is random stretches, and windows of 24 sentences or more that are low. Of a long prompt some windows are
looked at; of what is not random elsewhere the same share counts as low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.gates.random_text import RandomSpan
from curator.tokens.span_tokens import Span, between, count_by_span
from curator.tokens.tokenizer import Tokenizer

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a prompt that was looked at, by its offsets, and whether it is too long and too low to pass."""

    start: int
    end: int
    low: bool


def low_share(text: str, random: Sequence[RandomSpan], windows: Sequence[Window], tokenizer: Tokenizer) -> float:
    """The share of a prompt's tokens in random stretches and low windows, from 0 to 1.

    Args:
        text: the prompt.
        random: its random stretches, in order, none within another.
        windows: those that were looked at.
        tokenizer: random text has more tokens a character than any other, so that characters would not do.
    """
    spans = [(span.start, span.end) for span in random]
    rest = between(spans, len(text))
    seen = sum(_common(window, rest) for window in windows)
    low = sum(_common(window, rest) for window in windows if window.low)
    part = low / seen if seen else 0.0
    if not random:
        return round(part, _DIGITS)
    tokens, others = count_by_span(text, spans, tokenizer)
    return round((tokens + part * others) / (tokens + others), _DIGITS) if tokens + others else 0.0


def _common(window: Window, rest: Sequence[Span]) -> int:
    """Characters of a window that are not random."""
    return sum(max(min(end, window.end) - max(start, window.start), 0) for start, end in rest)
