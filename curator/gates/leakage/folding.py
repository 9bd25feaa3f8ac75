"""Text without the differences that no copy keeps: case, width and composition."""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache

# Marks on one letter: more are no writing, and to normalise them takes time by the square of their number.
_PILE = 30
# Soft hyphens, zero-width characters, marks of direction, variation selectors.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+"
)
# Beyond these planes nothing is a letter or a mark on one.
CODES_END = 0x32400


def fold(text: str) -> str:
    """The text in NFKC and one case, without what shows nothing; a pile of marks has a space in it."""
    if text.isascii():
        return text.lower()
    shown = _HIDDEN.sub("", text)
    marks, piles = _piles()
    # A pile covers one of every 30 characters: most texts need no closer look.
    if marks.search(shown[::_PILE]):
        shown = piles.sub(r"\g<0> ", shown)
    return unicodedata.normalize("NFKC", shown).casefold()


def place_before_folding(text: str, start: int, end: int, wanted: int) -> int:
    """Where in ``text`` its part from ``start`` to ``end`` has ``wanted`` characters when it is folded."""
    if len(fold(text[start:end])) == end - start:
        return min(start + wanted, end)
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if len(fold(text[start:middle])) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@cache
def _piles() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a mark on a letter, and of a pile of them."""
    marks = [code for code in range(0x300, CODES_END) if unicodedata.combining(chr(code))]
    ranges = []
    for _, run in itertools.groupby(enumerate(marks), lambda pair: pair[1] - pair[0]):
        codes = [code for _, code in run]
        ranges.append(f"{chr(codes[0])}-{chr(codes[-1])}")
    mark = f"[{''.join(ranges)}]"
    return re.compile(mark), re.compile(f"{mark}{{{_PILE}}}")
