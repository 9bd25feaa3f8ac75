"""Cutting long documents into pieces about one sequence long."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curator._seed import rng
from curator.corpora.document import Document

_PARAGRAPH = re.compile(r"\n[ \t]*\n+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document, or the whole of it.

    Attributes:
        id: the document's id, with the stretch's number.
        document: where it is from.
        start: offset of its first character in ``document.text``.
        end: offset behind its last character.
    """

    id: str
    document: Document
    start: int
    end: int

    @property
    def text(self) -> str:
        """The stretch's text."""
        return self.document.text[self.start : self.end]

    def within(self, reach: int) -> Piece:
        """The same piece of a document that has no more than ``reach`` characters before and behind it."""
        begin, end = max(self.start - reach, 0), min(self.end + reach, len(self.document.text))
        if begin == 0 and end == len(self.document.text):
            return self
        document = dataclasses.replace(self.document, text=self.document.text[begin:end])
        return Piece(self.id, document, self.start - begin, self.end - begin)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One of the lengths that pieces should have.

    Attributes:
        low: the fewest characters.
        high: the most characters.
        share: of all characters that are cut so.
    """

    low: int
    high: int
    share: float


def cut_stretches(document: Document, stretches: Sequence[Stretch], seed: int) -> Iterator[Piece]:
    """Cut a text into stretches whose lengths are drawn by their shares, the last as long as it happens to be.

    Conversations stay whole. A stretch ends at the end of a paragraph, line or word where its length allows.
    """
    if document.messages is not None:
        yield Piece(f"{document.id}:0", document, 0, len(document.text))
        return
    # The longer, the fewer of them have the same share of the text.
    weights = [one.share * 2 / (one.low + one.high) for one in stretches]
    text, start, number = document.text, 0, 0
    while start < len(text) or not number:
        draw = rng("stretch", seed, document.id, number)
        (chosen,) = draw.choices(stretches, weights)
        length = round(math.exp(draw.uniform(math.log(chosen.low), math.log(chosen.high))))
        left = len(text) - start
        end = len(text) if left <= chosen.high else _cut(text, start, start + length, chosen.low)
        yield Piece(f"{document.id}:{number}", document, start, end)
        start, number = end, number + 1


def cut_pieces(document: Document, chars: int) -> Iterator[Piece]:
    """Cut at paragraph ends, else at line ends, into stretches of at most about ``chars`` characters.

    Conversations stay whole. A paragraph longer than that is cut at line ends, a line between words, and
    only what has none of these at ``chars``.
    """
    if document.messages is not None or len(document.text) <= chars:
        yield Piece(f"{document.id}:0", document, 0, len(document.text))
        return
    for number, (start, end) in enumerate(_spans(document.text, chars)):
        yield Piece(f"{document.id}:{number}", document, start, end)


def _spans(text: str, chars: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= chars else _cut(text, start, start + chars, 1)
        yield start, end
        start = end


def _cut(text: str, start: int, limit: int, least: int) -> int:
    """The best place to cut in the second half of ``text[start:limit]``, behind the first ``least`` characters."""
    half = max((start + limit) // 2, start + least - 1)
    ends = [match.end() for match in _PARAGRAPH.finditer(text, half, limit)]
    if ends:
        return ends[-1]
    for mark in ("\n", " "):
        found = text.rfind(mark, half, limit)
        if found >= 0:
            return found + 1
    return limit
