"""Rows of words or characters long enough to be evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from curator.gates.leakage.words import IDEOGRAPH, SYLLABLE, WORD, Hashes, Places, mixed

_STEP = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Size:
    """How long a row must be in a kind of script.

    Attributes:
        kind: of its tokens (see `Words`).
        full: tokens of a row that is evidence wherever it comes from.
        least: tokens of a short text that is evidence as a whole; fewer are too common to be any.
        phrase: tokens by which a phrase is known again; texts of one language share shorter rows by chance.
        passage: tokens of a row that is evidence even where others quote the same text.
        distinct: tokens that differ within ``full``.
        letters: characters that are no digits within ``full``.
    """

    kind: int
    full: int
    least: int
    phrase: int
    passage: int
    distinct: int
    letters: int


# Thirteen words: GPT-3's and lm-evaluation-harness's. So many characters were as rare between unrelated texts of
# one language. A hundred words are a paragraph; well-known passages that people quote are mostly shorter.
SIZES: Final = (
    Size(WORD, full=13, least=8, phrase=5, passage=100, distinct=7, letters=30),
    Size(IDEOGRAPH, full=16, least=10, phrase=8, passage=123, distinct=8, letters=12),
    Size(SYLLABLE, full=40, least=24, phrase=20, passage=308, distinct=10, letters=30),
)


def grams(hashes: Hashes, size: int) -> Hashes:
    """The hash of every row of ``size`` tokens, by the token that it begins with."""
    if len(hashes) < size:
        return np.empty(0, np.uint64)
    return mixed(_rows(hashes, size) + np.uint64(size))


def _rows(hashes: Hashes, size: int) -> Hashes:
    """As `grams`, unmixed: rows of 1, 2, 4, ... tokens are joined by the binary digits of the size."""
    total, done = hashes[: len(hashes) - size + 1], 1
    doubled, width, rest = hashes, 1, size - 1
    while rest:
        if rest & 1:
            end = done + width
            total = total * _STEP + doubled[done : done + len(hashes) - size + 1]
            done = end
        rest >>= 1
        if rest:
            doubled = doubled[:-width] * (_STEP + np.uint64(width)) + doubled[width:]
            width *= 2
    return total


def among(hashes: Hashes, known: Hashes) -> NDArray[np.bool_]:
    """Which hashes are in ``known``, which is sorted and not empty."""
    at = np.searchsorted(known, hashes)
    at[at == len(known)] = 0
    found: NDArray[np.bool_] = known[at] == hashes
    return found


def in_script(kinds: NDArray[np.uint8], size: Size, length: int) -> NDArray[np.bool_]:
    """Which rows of ``length`` tokens are of the size's kind: each row is of one kind by what it is made of."""
    syllables = window_sums(kinds == SYLLABLE, length)
    alone = window_sums(kinds != WORD, length)
    if size.kind == SYLLABLE:
        return syllables * 2 > length
    if size.kind == IDEOGRAPH:
        return (syllables * 2 <= length) & (alone * 4 > length)
    return alone * 4 <= length


def telling(hashes: Hashes, letters: NDArray[np.uint8], size: Size) -> NDArray[np.bool_]:
    """Which full rows tell anything: enough tokens differ, and there are letters enough (counting does not)."""
    last = _last_seen(hashes)
    # A token is the first of its kind in the rows that begin behind its last occurrence.
    reach = np.minimum(np.arange(len(hashes)) - last, size.full)
    count = len(hashes) - size.full + 1
    if count <= 0:
        return np.empty(0, bool)
    places = np.arange(len(hashes))
    begun = np.bincount(np.maximum(places - reach + 1, 0), minlength=len(hashes) + 1)
    ended = np.bincount(places + 1, minlength=len(hashes) + 1)
    distinct = np.cumsum(begun - ended)[:count]
    return (distinct >= size.distinct) & (window_sums(letters, size.full) >= size.letters)


def window_sums(values: NDArray[np.bool_ | np.uint8], length: int) -> Places:
    """The sum over each row of ``length`` values, by its first."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums[length:] - sums[:-length] if len(values) >= length else np.empty(0, np.int64)


def stretches(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Beginning and end of each run of true flags."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    yield from zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True)


def cover(length: int, starts: Places, size: int) -> NDArray[np.bool_]:
    """Which of ``length`` tokens lie in one of the rows of ``size`` tokens that begin at ``starts``."""
    begun = np.bincount(starts, minlength=length + 1)
    ended = np.bincount(np.minimum(starts + size, length), minlength=length + 1)
    return np.cumsum(begun - ended)[:length] > 0


def _last_seen(hashes: Hashes) -> Places:
    """Where each token stood last before its place; -1 (or less than any reach) where it is new."""
    order = np.argsort(hashes, kind="stable")
    same = hashes[order][1:] == hashes[order][:-1]
    last = np.full(len(hashes), -(1 << 40), np.int64)
    last[order[1:][same]] = order[:-1][same]
    return last
