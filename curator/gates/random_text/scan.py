"""What texts are made of, counted in windows of their characters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.hashing import (
    east_places,
    ending_places,
    find_endings,
    find_words,
    hash_triples,
    pair_places,
    word_places,
)
from curator.gates.random_text.symbols import Class, code_points, letters
from curator.gates.random_text.tables import Tables

WIDE, NARROW = 128, 64
"""Characters of a window, about: the windows of a text are equally long."""
CLASSES = len(Class)
_ROW = np.uint16(CLASSES)
WORD_RANKS, WORD_LENGTHS, WORD_CASES, WORD_LINKS = 4, 4, 3, 4
WORD_KINDS = WORD_RANKS * WORD_LENGTHS * WORD_CASES * WORD_LINKS
_LENGTHS = np.array([0, 0, 1, 1, 2, 2, 2, 2, 2, 3], np.uint8)
"""Class of a word's length: one letter, two or three, four to eight, more."""
_LINKS = np.array([2, 3, 2, 3, 2, 3, 1, 3], np.uint8)
"""Link by the rank of the first word, of a pair that is not often there and of one that is."""


# Comparing an array with a member of an enumeration takes ten times as long as with a number.
_SPACE, _FIRST_EAST, _LAST_EAST = int(Class.SPACE), int(Class.HAN), int(Class.HANGUL)
NEIGHBOURS, WORDS = slice(0, CLASSES**2), slice(CLASSES**2, CLASSES**2 + WORD_KINDS)
"""Columns: characters of one class before one of another; words by rank, length, case and link."""
TRIPLES, HABIT, ORDER, EAST, EAST_KNOWN = range(WORDS.stop, WORDS.stop + 5)
"""Columns: letter triples, and how much likelier they are in languages than by chance, in half bits; how much
likelier endings of words on end are; neighbouring East Asian characters, and those that often stand together."""
COLUMNS = EAST_KNOWN + 1
SUMS = COLUMNS - TRIPLES
"""The last columns, which are sums over characters, not counts of one thing; none is ever left out."""
# Stands behind each text: no part of a word, and not the space that links two.
_GAP = "\n"


@dataclass(frozen=True, slots=True)
class Scan:
    """Counts by window of one or more texts; between two texts is a window without counts, of the gap there.

    Attributes:
        bounds: offsets of the windows' first characters, and the end of the last; [windows + 1].
        columns: those of the columns named above that are counted, in order, the last `SUMS` always among them.
        counts: by column; [windows, columns].
        first: the first window of each text, and the one that would follow behind another gap; [texts + 1].
    """

    bounds: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[np.float32]
    first: NDArray[np.intp]

    def alone(self, text: int) -> Scan:
        """The windows of one text, by offsets in it and with all columns."""
        low, high = self.first[text], self.first[text + 1] - 1
        counts = np.zeros((high - low, COLUMNS), np.float32)
        counts[:, self.columns] = self.counts[low:high]
        bounds = self.bounds[low : high + 1] - self.bounds[low]
        return Scan(bounds, np.arange(COLUMNS), counts, _offsets([len(bounds)]))


@dataclass(frozen=True, slots=True)
class Symbols:
    """What stands at each place of texts, each with a gap behind it, whatever the windows that it is counted in.

    Attributes:
        texts: offsets of the texts, and the end of all; [texts + 1].
        columns: as `Scan` has them. Texts have a third of all columns or fewer: the others are not carried along.
        neighbours: of each character, by its class and that of the one before, the place in ``columns``; [length].
        starts: offsets of the words' first characters.
        words: of each word the place in ``columns``.
        marks: of each character what `TRIPLES`, `HABIT`, `ORDER` and, where there are any, `EAST` and
            `EAST_KNOWN` add up; [3 or 5, length].
    """

    texts: NDArray[np.intp]
    columns: NDArray[np.intp]
    neighbours: NDArray[np.intp]
    starts: NDArray[np.intp]
    words: NDArray[np.intp]
    marks: NDArray[np.int16]

    def pick(self, chosen: NDArray[np.intp]) -> Symbols:
        """Those of some of the texts, in order."""
        low, high = self.texts[chosen], self.texts[chosen + 1]
        texts = _offsets((high - low).tolist())
        chars = [slice(*both) for both in zip(low.tolist(), high.tolist(), strict=True)]
        edges = (np.searchsorted(self.starts, edge).tolist() for edge in (low, high))
        words = [slice(*both) for both in zip(*edges, strict=True)]
        moved = (texts[:-1] - low).tolist()
        return Symbols(
            texts,
            self.columns,
            np.concatenate([self.neighbours[part] for part in chars]),
            np.concatenate([self.starts[part] + by for part, by in zip(words, moved, strict=True)]),
            np.concatenate([self.words[part] for part in words]),
            np.concatenate([self.marks[:, part] for part in chars], axis=1),
        )


def scan(text: str, tables: Tables, size: int) -> Scan:
    """Count every column of a text of 1 to `hashing.LONGEST` characters, in windows of about ``size``."""
    return count(read_symbols([text], tables), size).alone(0)


def read_symbols(texts: Sequence[str], tables: Tables) -> Symbols:
    """Look up texts of 1 and more characters, with the gaps `hashing.LONGEST` + 1 in all at most."""
    codes = code_points(_GAP.join(texts) + _GAP)
    places = codes.astype(np.intp)
    kinds, small = tables.classes.take(places), letters().take(places)
    offsets = _offsets(len(text) + 1 for text in texts)
    neighbours = np.zeros(len(codes), np.intp)
    neighbours[1:] = kinds[:-1] * _ROW + kinds[1:]
    both = _east(kinds)
    marks = np.zeros((5 if len(both) else 3, len(codes)), np.int16)
    starts, words = _words(small, kinds, tables, marks[2])
    _mark_triples(small, offsets, tables, marks)
    if len(both):
        marks[3, both] = 1
        marks[4, both] = tables.has_pairs(east_places(codes.take(both), codes.take(both + 1)))
    used = np.zeros(COLUMNS, np.bool_)
    used[neighbours] = used[words] = used[TRIPLES:] = True
    columns = np.flatnonzero(used)
    place = np.zeros(COLUMNS, np.intp)
    place[columns] = np.arange(len(columns))
    return Symbols(offsets, columns, place.take(neighbours), starts, place.take(words), marks)


def count(symbols: Symbols, size: int) -> Scan:
    """Count in windows of about ``size`` characters."""
    bounds, first = _windows(symbols.texts, size)
    gaps = first[1:] - 1
    rows, width = len(bounds) - 1, len(symbols.columns)
    row = np.repeat(np.arange(0, rows * width, width), bounds[1:] - bounds[:-1])
    places = np.concatenate((row + symbols.neighbours, row.take(symbols.starts) + symbols.words))
    # What a text's first character stands behind is the gap.
    places[symbols.texts[:-1]] = gaps * width
    counts = np.bincount(places, minlength=rows * width).reshape(rows, -1).astype(np.float32)
    sums = np.add.reduceat(symbols.marks, bounds[:-1], axis=1, dtype=np.int16)
    counts[:, width - SUMS : width - SUMS + len(sums)] = sums.T
    counts[gaps] = 0
    return Scan(bounds[:-1], symbols.columns, counts[:-1], first)


def _windows(texts: NDArray[np.intp], size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Bounds of windows, the gap behind each text being one, and the first window of each text."""
    lengths = texts[1:] - texts[:-1] - 1
    windows = np.maximum(np.rint(lengths / size), 1).astype(np.intp)
    first = _offsets((windows + 1).tolist())
    text = np.repeat(np.arange(len(windows)), windows + 1)
    number = np.arange(len(text)) - first.take(text)
    bounds = np.append(texts.take(text) + number * lengths.take(text) // windows.take(text), texts[-1])
    return bounds, first


def _offsets(lengths: Iterable[int]) -> NDArray[np.intp]:
    return np.array(list(itertools.accumulate(lengths, initial=0)), np.intp)


def _east(kinds: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Places of East Asian characters before another."""
    # Below the first class the difference is a large number: it has no sign.
    east = kinds - np.uint8(_FIRST_EAST) <= np.uint8(_LAST_EAST - _FIRST_EAST)
    return np.flatnonzero(east[:-1] & east[1:])


def _mark_triples(
    small: NDArray[np.uint16], offsets: NDArray[np.intp], tables: Tables, marks: NDArray[np.int16]
) -> None:
    """Mark triples with two letters and more; at a word's end the third is the gap, but not at a text's."""
    inside = small != 1
    counted = inside[:-2] | inside[2:]
    counted &= inside[1:-1]
    marks[0, 1:-1] = counted
    marks[1, 1:-1] = tables.triples.take(hash_triples(small)) * counted.view(np.int8)
    marks[:2, offsets[:-1]] = 0
    marks[:2, offsets[1:] - 2] = 0


def _words(
    small: NDArray[np.uint16], kinds: NDArray[np.uint8], tables: Tables, order: NDArray[np.int16]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Place of each word, and its column; mark how its ending goes with that of the word before."""
    words = find_words(small)
    starts, ends, hashes = words.starts, words.ends, words.hashes
    rank = tables.words.take(word_places(hashes))
    length = _LENGTHS.take(np.minimum(ends - starts, len(_LENGTHS) - 1))
    first, last = tables.capital.take(kinds.take(starts)), tables.capital.take(kinds.take(ends - 1))
    gaps = ends[:-1]
    linked = np.flatnonzero((starts[1:] - gaps == 1) & (kinds.take(gaps) == _SPACE))
    behind = linked + 1
    # No word a space before; one that is not often there, after a function word and after another; one that is.
    link = np.zeros(len(rank), np.uint8)
    seen = tables.has_pairs(pair_places(hashes.take(linked), hashes.take(behind)))
    link[behind] = _LINKS.take(2 * rank.take(linked) + seen)
    endings = find_endings(small, words)
    levels = tables.endings.take(ending_places(endings.take(linked, 1), endings.take(behind, 1)))
    order[starts.take(behind)] = levels.sum(0, dtype=np.int16)
    case = first + (first & last)
    kind = ((rank * np.uint8(WORD_LENGTHS) + length) * np.uint8(WORD_CASES) + case) * np.uint8(WORD_LINKS) + link
    columns: NDArray[np.intp] = kind + np.intp(WORDS.start)
    return starts, columns
