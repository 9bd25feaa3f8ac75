"""What a text is made of, counted in windows of its characters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.hashing import east_places, find_words, hash_triples, pair_places, word_places
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


@dataclass(frozen=True, slots=True)
class Symbols:
    """What stands at each place of a text, whatever the windows that it is counted in.

    Attributes:
        length: characters of the text.
        neighbours: column of each character but the first, by its class and the one's before; [length - 1].
        starts: offsets of the words' first characters.
        words: column of each word.
        triples: 1 where a letter triple begins before the character, and its habit there; [2, length].
        east: 1 where an East Asian pair begins, and where a known one does; [2, length]. ``None`` without any.
    """

    length: int
    neighbours: NDArray[np.uint16]
    starts: NDArray[np.intp]
    words: NDArray[np.intp]
    triples: NDArray[np.int8]
    east: NDArray[np.int8] | None


def scan(text: str, tables: Tables, size: int) -> Scan:
    """Count a text of 1 to `hashing.LONGEST` characters, in windows of about ``size`` characters."""
    return count(read_symbols(text, tables), size)


def read_symbols(text: str, tables: Tables) -> Symbols:
    """Look up a text of 1 to `hashing.LONGEST` characters."""
    codes = code_points(text)
    kinds, small = tables.classes.take(codes), letters().take(codes)
    neighbours = kinds[:-1] * np.uint16(CLASSES) + kinds[1:]
    starts, words = _words(small, kinds, tables)
    return Symbols(len(codes), neighbours, starts, words, _triples(small, tables), _east(codes, kinds, tables))


def count(symbols: Symbols, size: int) -> Scan:
    """Count in windows of about ``size`` characters."""
    length = symbols.length
    windows = max(1, round(length / size))
    bounds = np.arange(windows + 1) * length // windows
    row = np.repeat(np.arange(0, windows * COLUMNS, COLUMNS), bounds[1:] - bounds[:-1])
    places = np.concatenate((row[1:] + symbols.neighbours, row.take(symbols.starts) + symbols.words))
    counts = np.bincount(places, minlength=windows * COLUMNS).reshape(windows, -1).astype(np.float32)
    counts[:, TRIPLES : HABIT + 1] = np.add.reduceat(symbols.triples, bounds[:-1], axis=1, dtype=np.intp).T
    if symbols.east is not None:
        counts[:, EAST : EAST_KNOWN + 1] = np.add.reduceat(symbols.east, bounds[:-1], axis=1, dtype=np.intp).T
    return Scan(bounds, counts)


def _east(codes: NDArray[np.uint32], kinds: NDArray[np.uint8], tables: Tables) -> NDArray[np.int8] | None:
    east = (kinds >= _FIRST_EAST) & (kinds <= _LAST_EAST)
    if not east.any():
        return None
    both = np.zeros((2, len(codes)), np.int8)
    both[0, :-1] = east[:-1] & east[1:]
    both[1, :-1] = both[0, :-1] * tables.has_pairs(east_places(codes[:-1], codes[1:]))
    return both


def _triples(small: NDArray[np.uint16], tables: Tables) -> NDArray[np.int8]:
    found = np.zeros((2, len(small)), np.int8)
    if len(small) < 3:
        return found
    inside = small != 1
    # A triple with two letters and more; at a word's end the third is the gap.
    counted = inside[1:-1] & (inside[:-2] | inside[2:])
    found[0, 1:-1] = counted
    np.multiply(tables.triples.take(hash_triples(small)), counted, out=found[1, 1:-1])
    return found


def _words(
    small: NDArray[np.uint16], kinds: NDArray[np.uint8], tables: Tables
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Place of each word, and its column."""
    words = find_words(small)
    starts, ends, hashes = words.starts, words.ends, words.hashes
    rank = tables.words.take(word_places(hashes))
    length = _LENGTHS.take(np.minimum(ends - starts, len(_LENGTHS) - 1))
    first, last = tables.capital.take(kinds.take(starts)), tables.capital.take(kinds.take(ends - 1))
    # No word a space before; one that is not often there, after a function word and after another; one that is.
    link = np.zeros(len(rank), np.uint8)
    gaps = ends[:-1]
    near = (starts[1:] - gaps == 1) & (kinds.take(gaps) == _SPACE)
    seen = tables.has_pairs(pair_places(hashes[:-1], hashes[1:]))
    link[1:] = near * np.where(seen, _SEEN, _UNSEEN.take(rank[:-1]))
    case = first + (first & last)
    kind = ((rank * np.uint8(WORD_LENGTHS) + length) * np.uint8(WORD_CASES) + case) * np.uint8(WORD_LINKS) + link
    columns: NDArray[np.intp] = kind + np.intp(WORDS.start)
    return starts, columns
