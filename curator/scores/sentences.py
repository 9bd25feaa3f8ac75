"""Cutting text into sentences, well enough to compare neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator

# After a full stop, question or exclamation mark and space, but not after an initial or a title; after the
# CJK marks; at a blank line or list item.
_BREAK = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b[DM]r\.)(?<!\bMrs\.)[\"')\]]*\s+(?=[A-Z0-9\"'(\[*`])"
    r"|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+\.)\s)"
)
_MIN_CHARS = 12
# Longer than any sentence: a table, code, or words without a full stop. The embedder reads 256 tokens.
_MAX_CHARS = 400
# Such text is compared by its lines, or by stretches of this many characters.
_STRETCH = 200
_WORDS = re.compile(rf"\S.{{0,{_STRETCH}}}(?!\S)|\S{{1,{_STRETCH}}}", re.DOTALL)


def split_sentences(text: str, limit: int | None = None) -> list[str]:
    """The sentences of at least 12 characters, with inner white space folded.

    What is too long for a sentence is cut at line ends, then between words, so that no text hides behind
    a missing full stop.

    Args:
        text: any text.
        limit: stop after this many; ``None`` for all.
    """
    found: list[str] = []
    for part in _parts(text):
        sentence = " ".join(part.split())
        if len(sentence) >= _MIN_CHARS:
            found.append(sentence)
            if len(found) == limit:
                break
    return found


def _parts(text: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(text):
        yield from _short(text[start : match.end()])
        start = match.end()
    yield from _short(text[start:])


def _short(part: str) -> Iterator[str]:
    if len(part) <= _MAX_CHARS:
        yield part
        return
    for line in part.split("\n"):
        if len(line) <= _MAX_CHARS:
            yield line
        else:
            yield from _WORDS.findall(line)
