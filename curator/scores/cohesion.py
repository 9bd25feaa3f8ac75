"""Ties between English sentences that are no likeness of matter: who is spoken of, and which of two comes first.

``persons`` is a likeness: sentences that speak of "she", or of "we", or of "it" stand together. ``succession``
says which of two sentences has to come first, as far as their words tell:

- what is named in one is pointed to in the other ("this treaty", "such ferries"), or has "the" at its beginning;
- what one brings in with "a" has "the", "its" or "their" in the other;
- what one puts in quotation marks or brackets, or says how it is called, the other uses as it is;
- a person or place has the full name in one, and the last name alone in the other;
- the years of the other are later; it begins with a later ordinal ("first", "then", "finally").

Source of the kinds: M. Halliday and R. Hasan, Cohesion in English (1976): reference, the demonstratives, the
definite article, conjunction. The weights were chosen on one half of the texts of ``scripts/bench_continuity`` and
on manuals of Debian and Python.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from curator.scores.mantel import Matrix, cosines

_POINTED, _AT_HEAD, _BROUGHT_IN, _CALLED, _NAMES, _YEARS, _ORDINALS = 0.4, 0.15, 0.15, 0.3, 0.4, 0.5, 0.6

_WORD = re.compile(r"[^\W_]+")
# Words of one stem begin alike.
_STEM = 5
_NO_MATTER = """
about after all also and any are because been before being between both but can could did does each for from had
has have her here him his how into its may more most must not only other our out over same should some such than
that the their them then there these they this those too under very was were what when where which while who whom
why will with would you your"""
_FUNCTION = frozenset(_NO_MATTER.split())
_KINDS = (
    "he him his himself",
    "she her hers herself",
    "they them their themselves",
    "it its itself",
    "you your yours",
    "we us our",
    "i me my",
)
_KIND = {word: number for number, words in enumerate(_KINDS) for word in words.split()}
# A noun, or a word and a noun.
_NOUN = r" (\w{4,})(?: (\w{4,}))?"
_AFTER_A = re.compile(rf"\ban?{_NOUN}")
_DEFINITE = re.compile(rf"\b(?:the|this|that|these|those|such|its|his|her|their){_NOUN}")
_DEMONSTRATIVE = re.compile(rf"\b(?:this|that|these|those|such){_NOUN}")
_AFTER_THE = re.compile(r"\bthe (\w{4,})")
_HEAD = 60
_CALLING = re.compile(
    r"\(([A-Z]\w+)\)|\b(?:called|known as|named|termed) (?:an? |the )?[\"'“]?(\w{3,})|[\"“](\w{3,})"
)
_FULL_NAME, _CAPITAL = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)+"), re.compile(r"\b[A-Z]\w+")
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_ORDER = {
    word: rank
    for rank, words in enumerate(
        (
            "first firstly initially",
            "second secondly",
            "third thirdly",
            "fourth",
            "fifth",
            "then next later afterwards",
            "eventually finally lastly ultimately",
        )
    )
    for word in words.split()
}

Stems = Set[str]


def persons(sentences: Sequence[str]) -> Matrix:
    """Cosines [n, n] of which of seven kinds of personal pronouns are in the sentences; 0.0 beside one without."""
    kinds = np.zeros((len(sentences), len(_KINDS)))
    for row, sentence in enumerate(sentences):
        for word in _WORD.findall(sentence.casefold()):
            if (kind := _KIND.get(word)) is not None:
                kinds[row, kind] = 1.0
    return cosines(kinds)


def succession(sentences: Sequence[str]) -> Matrix:
    """How much speaks for sentence i before sentence j [n, n], antisymmetric; 0.0 where nothing does."""
    folded = [sentence.casefold() for sentence in sentences]
    words = [_WORD.findall(sentence) for sentence in folded]
    named = [{word[:_STEM] for word in found if len(word) > 2 and word not in _FUNCTION} for found in words]
    seen = Counter(stem for stems in named for stem in stems)
    # A word of every other sentence says nothing about two of them.
    rare = {stem for stem, count in seen.items() if count <= max(2, len(sentences) // 4)}
    calling = [_stems(_CALLING, sentence) for sentence in sentences]
    names = [_names(sentence) for sentence in sentences]
    return (
        _POINTED * _before(named, [_stems(_DEMONSTRATIVE, sentence) for sentence in folded])
        + _AT_HEAD * _before(named, [_stems(_AFTER_THE, sentence[:_HEAD]) & rare for sentence in folded])
        + _BROUGHT_IN
        * _before([_stems(_AFTER_A, one) for one in folded], [_stems(_DEFINITE, one) for one in folded])
        + _CALLED * _before(calling, [used - new for used, new in zip(named, calling, strict=True)])
        + _NAMES * _before([full for full, _ in names], [short for _, short in names])
        + _YEARS * _rising([_year(sentence) for sentence in sentences])
        + _ORDINALS * _rising([_ordinal(found) for found in words])
    )


def _before(earlier: Sequence[Stems], later: Sequence[Stems]) -> Matrix:
    """1 where something of ``earlier`` in i is of ``later`` in j, -1 the other way round, 0 for both or none."""
    both = sorted(set().union(*earlier) & set().union(*later))
    first, second = (
        np.array([[stem in stems for stem in both] for stems in side], dtype=np.float64).reshape(len(side), -1)
        for side in (earlier, later)
    )
    hits = first @ second.T
    signs: Matrix = np.clip(hits - hits.T, -1, 1)
    return signs


def _rising(numbers: Sequence[float]) -> Matrix:
    values: NDArray[np.float64] = np.array(numbers, dtype=np.float64)
    signs: Matrix = np.nan_to_num(np.sign(values[None, :] - values[:, None]))
    return signs


def _stems(pattern: re.Pattern[str], text: str) -> set[str]:
    return {word.casefold()[:_STEM] for match in pattern.finditer(text) for word in match.groups() if word}


def _names(sentence: str) -> tuple[set[str], set[str]]:
    """Last words of names of several words, and capitalised words that are in none."""
    full = [name.split() for name in _FULL_NAME.findall(sentence)]
    return {name[-1] for name in full}, set(_CAPITAL.findall(sentence)) - {word for name in full for word in name}


def _year(sentence: str) -> float:
    years = [int(year) for year in _YEAR.findall(sentence)]
    return (min(years) + max(years)) / 2 if years else np.nan


def _ordinal(words: Sequence[str]) -> float:
    return max((_ORDER[word] for word in words[:2] if word in _ORDER), default=np.nan)
