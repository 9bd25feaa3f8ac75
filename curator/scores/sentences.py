"""Cutting text into sentences, well enough to compare neighbours."""

from __future__ import annotations

import re

# After a full stop, question or exclamation mark and space; after the CJK marks; at a blank line or list item.
_BREAK = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[*`])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+\.)\s)"
)
_MIN_CHARS = 12


def split_sentences(text: str, limit: int) -> list[str]:
    """The first ``limit`` sentences of at least 12 characters, with inner white space folded."""
    found = []
    for part in _BREAK.split(text):
        sentence = " ".join(part.split())
        if len(sentence) >= _MIN_CHARS:
            found.append(sentence)
            if len(found) == limit:
                break
    return found
