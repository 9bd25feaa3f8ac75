"""General ways of spoiling good text, so that it is like junk of no kind in particular."""

from __future__ import annotations

import itertools
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence

_VOWELS = frozenset("aeiouyаеёиоуыэюяіїєαεηιουω")
_SYLLABLE = re.compile(f"[^{''.join(sorted(_VOWELS))}]*[{''.join(sorted(_VOWELS))}]|.{{1,3}}")
_WORD = re.compile(r"[^\W\d_]+")


def is_cased(text: str) -> bool:
    """Whether most letters are of a script with capitals; of other scripts one cannot say what a vowel is."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char.lower() != char.upper() for char in letters) > len(letters)


def fill(text: str, other: Callable[[str], str]) -> str:
    """The text with another word for each, between the signs and with the capitals that are there.

    Args:
        text: the text.
        other: the word for one of the text's words, which is given in small letters.
    """

    def filled(found: re.Match[str]) -> str:
        word, new = found[0], other(found[0].lower())
        if word.isupper() and len(word) > 1:
            return new.upper()
        return new[:1].upper() + new[1:] if word[0].isupper() else new

    return _WORD.sub(filled, text)


def make_vocabulary(draw: random.Random, words: Sequence[str]) -> list[str]:
    """As many words, of the syllables of these, or of their letters, a vowel for a vowel."""
    if draw.random() < 0.5:
        parts = [part for word in words for part in _SYLLABLE.findall(word.lower())] or ["a"]
        return ["".join(draw.choices(parts, k=draw.choice([2, 2, 3, 3, 4]))) for _ in words]
    pools = _pools(" ".join(words))
    return ["".join(draw.choice(pools[_is_vowel(char)]) for char in word.lower()) for word in words]


def _stir_words(draw: random.Random, text: str) -> str:
    words = text.split()
    # A script without spaces has no words to stir here, but characters.
    if len(words) * 15 < len(text):
        return _stir_characters(draw, text)
    draw.shuffle(words)
    return " ".join(words)


def _stir_characters(draw: random.Random, text: str) -> str:
    chars = list(text)
    draw.shuffle(chars)
    return "".join(chars)


def _draw_letters(draw: random.Random, text: str) -> str:
    letters = sorted({char for char in text if char.isalpha()})
    return "".join(draw.choice(letters) if char.isalpha() else char for char in text)


def _draw_words(draw: random.Random, text: str) -> str:
    words = sorted(set(text.split()))
    return (
        " ".join(draw.choices(words, k=len(words))) if len(words) * 15 >= len(text) else _draw_letters(draw, text)
    )


def _make_words(draw: random.Random, text: str) -> str:
    """Words as long as the text's, of letters that follow each other there."""
    after: defaultdict[str, list[str]] = defaultdict(list)
    for first, second in itertools.pairwise(text.lower()):
        if first.isalpha() and second.isalpha():
            after[first].append(second)
    starts = sorted(after)
    words = []
    for word in text.split():
        made = draw.choice(starts) if starts else word
        while len(made) < len(word):
            made += draw.choice(after.get(made[-1]) or starts or [word])
        words.append(made)
    return " ".join(words)


def _make_of_syllables(draw: random.Random, text: str) -> str:
    """Each word of as many syllables as it has, drawn from those of the whole text."""
    parts = [part for word in _WORD.findall(text.lower()) for part in _SYLLABLE.findall(word)]
    return fill(text, lambda word: "".join(draw.choices(parts, k=len(_SYLLABLE.findall(word)))))


def _exchange_letters(draw: random.Random, text: str) -> str:
    """Each letter another that occurs in the text, a vowel for a vowel; each word the same wherever it stands."""
    known: dict[str, str] = {}
    pools = _pools(text)

    def other(word: str) -> str:
        if word not in known:
            known[word] = "".join(draw.choice(pools[_is_vowel(char)]) for char in word)
        return known[word]

    return fill(text, other)


def _pools(text: str) -> dict[bool, list[str]]:
    """Vowels and other letters of a text, each once."""
    letters = sorted({char for char in text.lower() if char.isalpha()})
    return {vowel: [char for char in letters if _is_vowel(char) == vowel] or ["a"] for vowel in (True, False)}


def _is_vowel(char: str) -> bool:
    return unicodedata.normalize("NFD", char)[:1] in _VOWELS


WAYS: dict[str, Callable[[random.Random, str], str]] = {
    "words": _stir_words,
    "distinct words": _draw_words,
    "characters": _stir_characters,
    "letters": _draw_letters,
    "made words": _make_words,
    "syllables": _make_of_syllables,
    "exchanged letters": _exchange_letters,
}
"""How a text is spoilt, by name."""
CASED_WAYS = ("syllables", "exchanged letters")
"""Ways that ask what a vowel is."""
