"""What to call junk that has no shape of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.scan import CLASSES, HABIT, NEIGHBOURS, WORD_RANKS, WORDS, Scan
from curator.gates.random_text.symbols import Class

_IDEOGRAPHIC = np.array([Class.UNSPACED, Class.HAN, Class.RARE_HAN, Class.KANA, Class.HANGUL], np.intp)
_BROKEN = np.array([Class.ACCENTED, Class.ACCENTED_UPPER, Class.SYMBOL, Class.HIDDEN], np.intp)
_PLAIN = np.array([Class.SPACE, Class.NEWLINE, Class.LOWER, Class.ACCENTED, Class.OTHER, Class.CASELESS], np.intp)
_MOSTLY_PLAIN = 0.85
_LETTERS = np.array([Class.LOWER, Class.UPPER, Class.OTHER, Class.OTHER_UPPER, Class.CASELESS], np.intp)


def name_kinds(seen: Scan, windows: NDArray[np.intp]) -> list[str]:
    """The kind of junk that each of some windows holds, by what it is mostly made of."""
    rows = seen.counts[windows]
    pairs = rows[:, NEIGHBOURS].reshape(-1, CLASSES, CLASSES)
    counts, chars = pairs.sum(1), pairs.sum((1, 2))
    visible = np.maximum(counts[:, Class.NEWLINE + 1 :].sum(1), 1)
    mixed = pairs[:, Class.DIGIT, _LETTERS].sum(1) + pairs[:, _LETTERS, Class.DIGIT].sum(1)
    ranks = rows[:, WORDS].reshape(len(rows), WORD_RANKS, -1).sum(2)
    plain = pairs[:, _PLAIN[:, None], _PLAIN].sum((1, 2))
    kinds = {
        "digits": counts[:, Class.DIGIT] > visible / 2,
        "characters": counts[:, _IDEOGRAPHIC].sum(1) > visible / 2,
        "mojibake": counts[:, _BROKEN].sum(1) > visible / 3,
        "codes": mixed > visible / 8,
        "letters": rows[:, HABIT] < 0,
        "words": (ranks[:, 1:].sum(1) > ranks[:, 0]) | (plain > _MOSTLY_PLAIN * chars),
    }
    named: list[str] = np.select(list(kinds.values()), list(kinds), "tokens").tolist()
    return named
