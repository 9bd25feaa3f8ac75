"""Overlap with an evaluation: sets are filtered against it, never the reverse."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np

from curator.gates.leakage.boilerplate import Boilerplate
from curator.gates.leakage.finder import Finder
from curator.gates.leakage.folding import fold
from curator.gates.leakage.grams import SIZES
from curator.gates.leakage.item import EvalItem
from curator.gates.leakage.item_words import item_words
from curator.gates.leakage.leak import Leak
from curator.gates.leakage.words import WORD, split_words

_SHOWN = 200


class Leakage:
    """The rows of words of an evaluation's items, or of held-out prompts.

    Evidence is a row of 13 words (16 Han or Kana characters, 40 of Thai and the like) that holds enough of what
    makes the item what it is; a whole question of 8 words or more; or a row of 100 words of what is around it.
    Instructions, licences and templates are none.

    Takes 17 bytes of memory a word of the items, and about 80 while they are read.

    Args:
        items: what no set may share text with.
        exempt: texts of which no line, and no five words in a row, are evidence.

    Attributes:
        too_short: ids of the items that have too little text of their own to be found.
    """

    def __init__(self, items: Iterable[EvalItem], exempt: Iterable[str] = ()) -> None:
        items = list(items)
        self._ids = [item.id for item in items]
        words = item_words(items, Boilerplate(exempt))
        finders = [Finder(size, words) for size in SIZES]
        self._finders = [finder for finder in finders if finder.items]
        covered = set[int]().union(*(finder.items for finder in finders))
        self.too_short = tuple(name for number, name in enumerate(self._ids) if number not in covered)

    def measure(self, text: str) -> Leak:
        """What the text shares with the item that it shares most with."""
        if not self._finders:
            return Leak()
        words = split_words(text)
        kinds = int(np.bitwise_or.reduce(words.kinds))
        found = [one for finder in self._finders if kinds & finder.kind for one in finder.find(words)]
        if not found:
            return Leak()
        best = max(found, key=lambda one: (one.ratio, one.last - one.first, -one.item))
        start, end = words.span(text, best.first, best.last)
        shown = _shown(text[start : min(end, start + 4 * _SHOWN)])
        unit = "words" if words.kinds[best.first] == WORD else "characters"
        return Leak(best.ratio, self._ids[best.item], best.last - best.first + 1, unit, (start, end), shown)


def _shown(text: str) -> str:
    words = " ".join("".join(one if _is_inner(one) else " " for one in fold(text)).split())
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"


def _is_inner(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"
