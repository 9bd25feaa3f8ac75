"""Cutting text into sentences, well enough to compare neighbours, each with its place in the text.

Blank lines, list items and headings always part sentences; in between, closing marks do, by the rules of
``sentence_ends``. What is still too long for a sentence (Thai and Lao know no closing mark; tables and code have
none) is cut at line ends, then at spaces, then anywhere, so that no text hides behind a missing mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from curator.scores.sentence_ends import sentence_ends

# Below this a fragment ("Yes.") says too little for a vector; the score is of what remains.
_MIN_WIDTH = 12
# Longer than any sentence, in widths. The embedder reads 256 tokens; a wide character is about one.
_MAX_WIDTH = 400
# What is too long is compared by stretches of about this width.
_STRETCH = 200
# Letters that carry a syllable or a word count for three: kana, Han, Hangul.
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_NARROW_PER_WIDE = 3
# Written without spaces between words, with spaces for pauses: Thai, Lao, Myanmar, Khmer.
_UNMARKED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_UNMARKED_STRETCH = 80
_LETTER = re.compile(r"[^\W_]")
# A line that begins something of its own: a list item, a Markdown heading or quotation, a table's row.
_OWN_LINE = re.compile(r"[ \t]*(?:[-*•‣▪–+]|#{1,6}|\(?\d{1,4}[.)]|\(?[a-zA-Z][.)])[ \t]|[ \t]*\|")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place.

    Attributes:
        text: with inner white space folded.
        start: offset of its first character in the text.
        end: offset behind its last.
    """

    text: str
    start: int
    end: int


def split_sentences(text: str, limit: int | None = None) -> list[str]:
    """The texts of ``sentence_spans``."""
    return [sentence.text for sentence in sentence_spans(text, limit)]


def sentence_spans(text: str, limit: int | None = None) -> list[Sentence]:
    """The sentences of a text in their order; short fragments and what has no letter or digit are left out.

    Args:
        text: any text.
        limit: stop after this many; ``None`` for all.
    """
    found: list[Sentence] = []
    for start, end in _pieces(text):
        folded = " ".join(text[start:end].split())
        if is_wide_enough(folded):
            lead = len(text[start:end]) - len(text[start:end].lstrip())
            found.append(Sentence(folded, start + lead, start + len(text[start:end].rstrip())))
            if len(found) == limit:
                break
    return found


def is_wide_enough(folded: str) -> bool:
    """Whether a stretch of text is more than a fragment."""
    if len(folded) < _MIN_WIDTH and _width(folded) < _MIN_WIDTH:
        return False
    return _LETTER.search(folded) is not None


def _width(text: str) -> int:
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return len(text) + (_NARROW_PER_WIDE - 1) * wide


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _blocks(text):
        begin = start
        for stop in sentence_ends(text, start, end):
            yield from _shortened(text, begin, stop)
            begin = stop
        yield from _shortened(text, begin, end)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans between blank lines; a line of its own begins one, a heading also ends it."""
    start = position = 0
    while position < len(text):
        newline = text.find("\n", position)
        end = len(text) if newline < 0 else newline + 1
        if not text[position:end].strip():
            yield start, position
            start = end
        elif _OWN_LINE.match(text, position, end):
            yield start, position
            start = position
            if _HEADING.match(text, position, end):
                yield start, end
                start = end
        position = end
    yield start, len(text)


def _shortened(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if start >= end:
        return
    if end - start <= _UNMARKED_STRETCH or not _is_long(text[start:end]):
        yield start, end
        return
    lines = _lines(text, start, end)
    if len(lines) == 1:
        yield from _stretches(text, start, end)
        return
    for begin, stop in _joined(text, lines):
        if _is_long(text[begin:stop]):
            yield from _stretches(text, begin, stop)
        else:
            yield begin, stop


def _joined(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Lines too short to stand alone joined with those that follow, the last with those before."""
    joined: list[tuple[int, int]] = []
    begin = lines[0][0]
    for _, stop in lines:
        if _width(text[begin:stop].strip()) >= _MIN_WIDTH:
            joined.append((begin, stop))
            begin = stop
    end = lines[-1][1]
    if begin < end:
        begin = joined.pop()[0] if joined else begin
        joined.append((begin, end))
    return joined


def _is_long(part: str) -> bool:
    if len(part) > _MAX_WIDTH:
        return True
    if part.isascii():
        return False
    unmarked = len(_UNMARKED.findall(part)) * 2 > len(part)
    return _width(part) > _MAX_WIDTH or (unmarked and len(part) > 2 * _UNMARKED_STRETCH)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans = []
    while start < end:
        newline = text.find("\n", start, end)
        stop = end if newline < 0 else newline + 1
        spans.append((start, stop))
        start = stop
    return spans


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cuts at the last space within reach, else anywhere; a rest too short to stand alone stays with the last."""
    sample = text[start : start + _MAX_WIDTH]
    reach = _STRETCH
    if not sample.isascii():
        if len(_UNMARKED.findall(sample)) * 2 > len(sample):
            reach = _UNMARKED_STRETCH
        elif len(_WIDE.findall(sample)) * 2 > len(sample):
            reach = _STRETCH // _NARROW_PER_WIDE
    while end - start > reach:
        if text[start + reach].isspace():
            cut = start + reach
        else:
            space = max(text.rfind(" ", start + 1, start + reach), text.rfind("\n", start + 1, start + reach))
            cut = space if space > 0 else start + reach
        if end - cut <= reach and not is_wide_enough(" ".join(text[cut:end].split())):
            break
        yield start, cut
        start = cut
    yield start, end
