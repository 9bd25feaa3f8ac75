"""Junk that looks like words: dictionary salad, coded words, keyboard mash."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from gate_bench.draw import clip
from gate_bench.vocabulary import counted, english_dictionary, identifiers, languages, words

# Without spaces between words, or with words that the rough cut does not find.
_NO_WORDS = {"zho", "jpn", "tha"}
_ENDS = ".!?"
_CODE_SETS = (("bcdfghjklmnpqrstvwxyz", "aeiou"), ("bdfgklmnprstvz", "aeiouy"), ("kptmnsrl", "aeiou"))
_CLUSTERS = ("st", "tr", "br", "kl", "sp", "gr", "pl", "dr", "sk", "fl")

_ROWS = {
    "qwerty": ("1234567890", "qwertyuiop", "asdfghjkl;", "zxcvbnm,."),
    "qwertz": ("1234567890", "qwertzuiopü", "asdfghjklöä", "yxcvbnm,."),
    "azerty": ("azertyuiop", "qsdfghjklm", "wxcvbn,;"),
    "russian": ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю."),
    "ukrainian": ("йцукенгшщзхї", "фівапролджє", "ячсмитьбю."),
    "spanish": ("1234567890", "qwertyuiop", "asdfghjklñ", "zxcvbnm,."),
    "bulgarian": ("чшертъуиоп", "асдфгхйкл", "зьцжбнмю"),
    "greek": (";ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
}
# The half to report on, and the blind part, see two boards that the other never did.
_BOARDS = (
    ("qwerty", "russian", "ukrainian", "azerty"),
    ("qwerty", "qwerty", "russian", "qwertz", "greek"),
    ("qwerty", "qwertz", "spanish", "bulgarian"),
)


def uniform_salad(draw: random.Random, half: int, length: int) -> str:
    """Words of an English dictionary, each as likely as any other."""
    return _dressed(draw, lambda: draw.choice(english_dictionary(half)), length)


def frequency_salad(draw: random.Random, half: int, length: int) -> str:
    """Words of English text as often as they occur in it, in no order."""
    return _by_frequency(draw, "eng", half, length)


def foreign_salad(draw: random.Random, half: int, length: int) -> str:
    """Words of another language, uniformly or as often as they occur."""
    language = draw.choice(_salad_languages(half))
    if draw.random() < 0.5:
        return _by_frequency(draw, language, half, length)
    listed = words(language, half)
    return _dressed(draw, lambda: draw.choice(listed), length)


def mixed_salad(draw: random.Random, half: int, length: int) -> str:
    """Words of three languages and names of programs, stirred."""
    lists = [words(name, half) for name in draw.sample(_salad_languages(half), 3)] + [identifiers(half)]
    return _dressed(draw, lambda: draw.choice(draw.choice(lists)), length)


def _salad_languages(half: int) -> list[str]:
    return [name for name in languages(half) if name not in _NO_WORDS]


def _by_frequency(draw: random.Random, language: str, half: int, length: int) -> str:
    ranked = counted(language, half)
    drawn = iter(draw.choices(list(ranked), list(ranked.values()), k=length))
    return _dressed(draw, lambda: next(drawn), length)


def _dressed(draw: random.Random, next_word: Callable[[], str], length: int) -> str:
    """Words with or without what makes them look like sentences: capitals, full stops, commas, lines."""
    style = draw.choice(["bare", "bare", "sentences", "sentences", "lines", "commas", "paragraphs"])
    parts: list[str] = []
    have, left = 0, 0
    while have < length:
        word = next_word()
        if style in ("sentences", "paragraphs"):
            if left == 0:
                left, word = draw.randint(4, 16), word[:1].upper() + word[1:]
            left -= 1
            if left == 0:
                word += draw.choice(_ENDS) + ("\n\n" if style == "paragraphs" and draw.random() < 0.3 else "")
            elif draw.random() < 0.08:
                word += ","
        parts.append(word)
        have += len(word) + 1
    joint = {"lines": "\n", "commas": ", "}.get(style, " ")
    return clip(joint.join(parts).replace("\n\n ", "\n\n"), length)


def coded_words(draw: random.Random, half: int, length: int) -> str:
    """Made words, pronounceable or of consonants, each of a small set that comes back, or always new."""
    make = draw.choice([_pronounceable, _pronounceable, _consonants])
    known = [make(draw) for _ in range(draw.choice([8, 40, 400, 1000]))]
    weights = [1 / (rank + 1) for rank in range(len(known))] if draw.random() < 0.5 else None
    drawn = iter(draw.choices(known, weights, k=length))
    return _dressed(draw, lambda: next(drawn), length)


def _pronounceable(draw: random.Random) -> str:
    consonants, vowels = draw.choice(_CODE_SETS)
    syllables = []
    for _ in range(draw.choice([2, 2, 3, 3, 4])):
        first = draw.choice(_CLUSTERS) if draw.random() < 0.1 else draw.choice(consonants)
        syllables.append(first + draw.choice(vowels) + (draw.choice(consonants) if draw.random() < 0.2 else ""))
    return "".join(syllables)


def _consonants(draw: random.Random) -> str:
    return "".join(draw.choices("bcdfghjklmnpqrstvwxz", k=draw.choice([4, 5, 6, 6, 7])))


def keyboard_mash(draw: random.Random, half: int, length: int) -> str:
    """Keys struck by two hands that rest on a board: runs along a row, jumps to a neighbour, few far ones."""
    board = _ROWS[draw.choice(_BOARDS[half])]
    rows = board if draw.random() < 0.15 else [re.sub(r"[\d;,.]", "", row) for row in board]
    rows = [row for row in rows if row]
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < length:
        parts.append(_burst(draw, rows, draw.randint(3, 12)))
    return clip(draw.choice([" ", " ", " ", "", "\n"]).join(parts), length)


def _burst(draw: random.Random, rows: list[str] | tuple[str, ...], size: int) -> str:
    style = draw.choice(["walk", "walk", "run", "hands"])
    row = draw.randrange(len(rows))
    at, way, keys = draw.randrange(len(rows[row])), draw.choice([1, -1]), ""
    for stroke in range(size):
        keys += rows[row][at]
        if style == "run":
            at = (at + way) % len(rows[row])
        elif style == "walk":
            row = min(len(rows) - 1, max(0, row + draw.choice([0, 0, 0, 1, -1])))
            at = (at + draw.choice([-2, -1, 1, 2, 3])) % len(rows[row])
        else:
            middle = len(rows[row]) // 2
            at = draw.randrange(middle) if stroke % 2 else draw.randrange(middle, len(rows[row]))
        at = min(at, len(rows[row]) - 1)
    return keys
