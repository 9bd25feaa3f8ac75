"""How many of a text's tokens lie within spans of its characters, and how many outside."""

from __future__ import annotations

from collections.abc import Sequence

from curator.tokens.tokenizer import Tokenizer

Span = tuple[int, int]
"""Offsets of a first character and behind a last one."""


def between(spans: Sequence[Span], length: int) -> list[Span]:
    """What spans leave of a text of ``length`` characters; they are in order and do not overlap."""
    edges = [0, *(edge for span in spans for edge in span), length]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def count_by_span(text: str, spans: Sequence[Span], tokenizer: Tokenizer) -> tuple[int, int]:
    """Tokens within the spans and tokens outside them.

    Args:
        text: the text.
        spans: in order, none within another.
        tokenizer: tokens, since random text has more of them a character than any other.
    """
    inside = "\n".join(text[start:end] for start, end in spans)
    outside = "\n".join(text[start:end] for start, end in between(spans, len(text)))
    within, rest = tokenizer.count([inside, outside])
    return within, rest
