"""What a text is made of, counted in windows of its characters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.hashing import find_words, hash_triples, ideograph_places, pair_places, word_places
from curator.gates.random_text.symbols import Class, code_points, letters
from curator.gates.random_text.tables import Tables

WIDE, NARROW = 128, 64
"""Characters of a window, about: the windows of a text are equally long."""
CLASSES = len(Class)
WORD_RANKS, WORD_LENGTHS, WORD_CASES, WORD_LINKS = 4, 4, 3, 4
WORD_KINDS = WORD_RANKS * WORD_LENGTHS * WORD_CASES * WORD_LINKS
_LENGTHS = np.array([0, 0, 1, 1, 2, 2, 2, 2, 2, 3], np.uint8)
"""Class of a word's length: one letter, two or three, four to eight, more."""
_SEEN, _UNSEEN = np.uint8(3), np.array([2, 2, 2, 1], np.uint8)
"""Link of a pair that is often there, and of one that is not by the rank of its first word."""


# Comparing an array with a member of an enumeration takes ten times as long as with a number.
_SPACE, _FIRST_EAST, _LAST_EAST = int(Class.SPACE), int(Class.HAN), int(Class.HANGUL)
NEIGHBOURS, WORDS = slice(0, CLASSES**2), slice(CLASSES**2, CLASSES**2 + WORD_KINDS)
"""Columns: characters of one class before one of another; words by rank, length, case and link."""
TRIPLES, HABIT, EAST, EAST_KNOWN = range(WORDS.stop, WORDS.stop + 4)
"""Columns: letter triples, and how much likelier they are in languages than by chance, in half bits; neighbouring
East Asian characters, and those of them that often stand together."""
COLUMNS = EAST_KNOWN + 1


@dataclass(frozen=True, slots=True)
class Scan:
    """Counts by window.

    Attributes:
        bounds: offsets of the windows' first characters, and the text's end; [windows + 1].
        counts: by the columns named above; [windows, `COLUMNS`].
    """

    bounds: NDArray[np.intp]
    counts: NDArray[np.float32]


def scan(text: str, tables: Tables, size: int) -> Scan:
    """Count a text of 1 to `hashing.LONGEST` characters, in windows of about ``size`` characters."""
    codes = code_points(text)
    kinds, small = tables.classes.take(codes), letters().take(codes)
    windows = max(1, round(len(codes) / size))
    bounds = np.arange(windows + 1) * len(codes) // windows
    row = np.repeat(np.arange(0, windows * COLUMNS, COLUMNS), bounds[1:] - bounds[:-1])
    pairs = row[1:] + (kinds[:-1] * np.uint16(CLASSES) + kinds[1:])
    places = np.concatenate((pairs, _words(small, kinds, row, tables)))
    counts = np.bincount(places, minlength=windows * COLUMNS).reshape(windows, -1).astype(np.float32)
    counts[:, TRIPLES], counts[:, HABIT] = _triples(small, bounds, tables)
    counts[:, EAST], counts[:, EAST_KNOWN] = _ideographs(codes, kinds, bounds, tables)
    return Scan(bounds, counts)


def _ideographs(
    codes: NDArray[np.uint32], kinds: NDArray[np.uint8], bounds: NDArray[np.intp], tables: Tables
) -> NDArray[np.intp]:
    east = (kinds >= _FIRST_EAST) & (kinds <= _LAST_EAST)
    if not east.any():
        return np.zeros((2, len(bounds) - 1), np.intp)
    both = np.zeros((2, len(codes)), np.intp)
    both[0, :-1] = east[:-1] & east[1:]
    both[1, :-1] = both[0, :-1] * tables.pairs.take(ideograph_places(codes))
    return np.add.reduceat(both, bounds[:-1], axis=1)


def _triples(
    small: NDArray[np.uint16], bounds: NDArray[np.intp], tables: Tables
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of triples and sum of their habit; [windows]."""
    if len(small) < 3:
        return np.zeros(len(bounds) - 1, np.intp), np.zeros(len(bounds) - 1, np.intp)
    inside = small != 1
    # A triple with two letters and more; at a word's end the third is the gap.
    counted = np.zeros(len(small), np.int8)
    counted[1:-1] = inside[1:-1] & (inside[:-2] | inside[2:])
    habit = counted.copy()
    habit[1:-1] *= tables.triples.take(hash_triples(small))
    sums = (np.add.reduceat(part, bounds[:-1], dtype=np.intp) for part in (counted, habit))
    return next(sums), next(sums)


def _words(
    small: NDArray[np.uint16], kinds: NDArray[np.uint8], row: NDArray[np.intp], tables: Tables
) -> NDArray[np.intp]:
    """Place of each word among the counts."""
    words = find_words(small)
    starts, ends, hashes = words.starts, words.ends, words.hashes
    rank = tables.words.take(word_places(hashes))
    length = _LENGTHS.take(np.minimum(ends - starts, len(_LENGTHS) - 1))
    first, last = tables.capital.take(kinds.take(starts)), tables.capital.take(kinds.take(ends - 1))
    # No word a space before; one that is not often there, after a function word and after another; one that is.
    link = np.zeros(len(rank), np.uint8)
    gaps = ends[:-1]
    near = (starts[1:] - gaps == 1) & (kinds.take(gaps) == _SPACE)
    seen = tables.pairs.take(pair_places(hashes[:-1], hashes[1:]))
    link[1:] = near * np.where(seen, _SEEN, _UNSEEN.take(rank[:-1]))
    case = first + (first & last)
    kind = ((rank * np.uint8(WORD_LENGTHS) + length) * np.uint8(WORD_CASES) + case) * np.uint8(WORD_LINKS) + link
    places: NDArray[np.intp] = row.take(starts) + WORDS.start + kind
    return places
