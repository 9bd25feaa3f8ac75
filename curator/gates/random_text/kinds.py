"""What to call junk that has no shape of its own."""

from __future__ import annotations

import numpy as np

from curator.gates.random_text.scan import CLASSES, HABIT, NEIGHBOURS, WORD_RANKS, WORDS, Scan
from curator.gates.random_text.symbols import Class

_IDEOGRAPHIC = np.array([Class.UNSPACED, Class.HAN, Class.RARE_HAN, Class.KANA, Class.HANGUL], np.intp)
_BROKEN = np.array([Class.ACCENTED, Class.ACCENTED_UPPER, Class.SYMBOL, Class.HIDDEN], np.intp)
_PLAIN = np.array([Class.SPACE, Class.NEWLINE, Class.LOWER, Class.ACCENTED, Class.OTHER, Class.CASELESS], np.intp)
_MOSTLY_PLAIN = 0.85
_LETTERS = np.array([Class.LOWER, Class.UPPER, Class.OTHER, Class.OTHER_UPPER, Class.CASELESS], np.intp)


def name_kind(seen: Scan, window: int) -> str:
    """The kind of junk that a window holds, by what it is mostly made of."""
    row = seen.counts[window]
    pairs = row[NEIGHBOURS].reshape(CLASSES, CLASSES)
    counts = pairs.sum(0)
    visible = max(int(counts[Class.NEWLINE + 1 :].sum()), 1)
    if counts[Class.DIGIT] > visible / 2:
        return "digits"
    if counts[_IDEOGRAPHIC].sum() > visible / 2:
        return "characters"
    if counts[_BROKEN].sum() > visible / 3:
        return "mojibake"
    mixed = pairs[Class.DIGIT][_LETTERS].sum() + pairs[_LETTERS, Class.DIGIT].sum()
    if mixed > visible / 8:
        return "codes"
    if row[HABIT] < 0:
        return "letters"
    ranks = row[WORDS].reshape(WORD_RANKS, -1).sum(1)
    plain = pairs[_PLAIN[:, None], _PLAIN].sum()
    return "words" if ranks[1:].sum() > ranks[0] or plain > _MOSTLY_PLAIN * pairs.sum() else "tokens"
