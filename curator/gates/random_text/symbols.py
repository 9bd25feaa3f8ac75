"""Characters as small numbers: their class, and the letter that they stand for whatever its case."""

from __future__ import annotations

import functools
import unicodedata
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

# Characters beyond the first plane are symbols and rare ideographs: one class.
_TABLED = 1 << 16
_UNSPACED = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_STOPS = frozenset(".,;:!?…،؛؟।॥。、，；：！？·።፣፤፥")
_HIDDEN = {"Cc", "Cn", "Co", "Cs"}


class Class(IntEnum):
    """What a character is."""

    SPACE = 0
    NEWLINE = 1
    DIGIT = 2
    LOWER = 3
    """A small letter of ASCII, as `UPPER` is a capital."""
    UPPER = 4
    ACCENTED = 5
    """A small Latin letter beyond ASCII, as `ACCENTED_UPPER` is a capital."""
    ACCENTED_UPPER = 6
    OTHER = 7
    """A small letter of another script, as `OTHER_UPPER` is a capital."""
    OTHER_UPPER = 8
    CASELESS = 9
    """A letter of a script without case, with spaces between words; a mark on a letter of any script."""
    UNSPACED = 10
    """A letter of a script without case and without spaces, such as Thai."""
    HAN = 11
    RARE_HAN = 12
    """An ideograph or a Korean syllable that running text seldom has."""
    KANA = 13
    HANGUL = 14
    STOP = 15
    MARK = 16
    """Other punctuation and symbols of ASCII."""
    SYMBOL = 17
    """Other punctuation and symbols."""
    HIDDEN = 18
    """Controls, private and unassigned characters, halves of characters, U+FFFD."""
    HIGH = 19
    """Beyond the first plane: emoji, rare ideographs."""


@functools.cache
def classes() -> NDArray[np.uint8]:
    """`Class` by code point, of the first plane."""
    return np.fromiter((_class(chr(code)) for code in range(_TABLED)), np.uint8, _TABLED)


@functools.cache
def letters() -> NDArray[np.uint16]:
    """Small letter by code point; 1 for all that is no letter of an alphabet."""
    kinds = classes()
    alphabetic = (kinds >= Class.LOWER) & (kinds <= Class.UNSPACED)
    folded = np.ones(_TABLED, np.uint16)
    for code in np.flatnonzero(alphabetic):
        lower = chr(code).lower()
        folded[code] = ord(lower) if len(lower) == 1 and ord(lower) < _TABLED else code
    return folded


def code_points(text: str) -> NDArray[np.uint32]:
    """Code points of a text, those beyond the first plane as the last one of it."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.minimum(codes, _TABLED - 1)


def _class(char: str) -> Class:
    if char == "\uffff":
        return Class.HIGH
    if char.isspace():
        return Class.NEWLINE if char in "\n\r\u2028\u2029\x0b\x0c\x85" else Class.SPACE
    category = unicodedata.category(char)
    if category in _HIDDEN or char == "\ufffd":
        return Class.HIDDEN
    if char in _STOPS:
        return Class.STOP
    if category[0] in "LM":
        return _letter(char, category)
    if category == "Nd":
        return Class.DIGIT
    return Class.MARK if char < "\x80" else Class.SYMBOL


def _letter(char: str, category: str) -> Class:
    name = unicodedata.name(char, "")
    if name.startswith("CJK"):
        return Class.HAN
    if name.startswith("HANGUL"):
        return Class.HANGUL
    if name.startswith(("HIRAGANA", "KATAKANA")):
        return Class.KANA
    if name.startswith(_UNSPACED):
        return Class.UNSPACED
    if category not in {"Lu", "Lt", "Ll"}:
        return Class.CASELESS
    small = Class.LOWER if char < "\x80" else Class.ACCENTED if name.startswith("LATIN") else Class.OTHER
    return small if category == "Ll" else Class(small + 1)
