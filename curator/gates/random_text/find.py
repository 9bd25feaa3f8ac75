"""Finds random text of every kind: strings by their shape, the rest by what windows of the text are made of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.found import RandomSpan, RandomText, summarise
from curator.gates.random_text.hashing import LONGEST
from curator.gates.random_text.kinds import name_kind
from curator.gates.random_text.model import Model, Numbers, load_model
from curator.gates.random_text.scan import NARROW, WIDE, count, read_symbols
from curator.gates.random_text.shapes import find_shapes
from curator.gates.random_text.tables import Tables, load_tables

_SUSPECT = -4.0
"""Log odds of wide windows below which no narrow one is looked at."""
_POSSIBLE = -3.5
"""Log odds above which a narrow window goes with a neighbour that is junk."""
_LEAST_CHARS = 20
"""Characters of the shortest text that says enough about its language; strings by shape are found in any."""
_LEAST_DIGITS = 40
_LEAST_WORDS = {"words": 120, "tokens": 120, "characters": 36}
"""Characters on end of real words in no order that say more than a list of things or a name does."""
_ALPHABET = 0.5
"""Share of letters that follow the one before them in the alphabet; by chance one in thirty does."""
_WORD_REACH = 40
"""Characters over which a stretch grows to a word's ends."""


def find_random_text(text: str) -> RandomText:
    """Find what is random in a text of any length."""
    return find_with(text, load_tables(), load_model())


def find_with(text: str, tables: Tables, model: Model, *, shapes: bool = True) -> RandomText:
    """Find what is random, with other statistics and weights than those of this package.

    Args:
        text: the text.
        tables: statistics of good text.
        model: weights.
        shapes: whether strings are found by their shape too.
    """
    spans: list[RandomSpan] = []
    for start, end in _pieces(text):
        piece = text[start:end]
        spans += _united(
            find_shapes(piece) if shapes else [], _enough(piece, _stretches(piece, tables, model)), start
        )
    return summarise(text, spans)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Parts of at most `LONGEST` characters, cut at white space where there is any."""
    start = 0
    while start < len(text):
        end = min(start + LONGEST, len(text))
        if end < len(text):
            gap = max(text.rfind(space, end - LONGEST // 8, end) for space in " \n")
            end = gap + 1 if gap > start else end
        yield start, end
        start = end


def _enough(text: str, stretches: Iterator[RandomSpan]) -> Iterator[RandomSpan]:
    """Stretches but for a few digits (of a telephone or a book), a few words (a list), and alphabets."""
    run: list[RandomSpan] = []
    for one in stretches:
        if run and one.start > run[-1].end + 1:
            yield from _long_enough(text, run)
            run = []
        run.append(one)
    yield from _long_enough(text, run)


def _long_enough(text: str, run: list[RandomSpan]) -> Iterator[RandomSpan]:
    """Of stretches on end those that count."""
    length = run[-1].end - run[0].start if run else 0
    if all(length < _LEAST_WORDS.get(one.kind, 0) for one in run):
        return
    for one in run:
        is_few = one.kind == "digits" and one.end - one.start < _LEAST_DIGITS
        if not is_few and not (one.kind == "letters" and _is_alphabet(text[one.start : one.end])):
            yield one


def _is_alphabet(text: str) -> bool:
    letters = [ord(char) for char in text.casefold() if char.isalpha()]
    steps = sum(after == before + 1 for before, after in itertools.pairwise(letters))
    return steps > _ALPHABET * len(letters)


def _stretches(text: str, tables: Tables, model: Model) -> Iterator[RandomSpan]:
    """Runs of junk windows, as one stretch for each kind: wide windows know more, narrow ones where it begins."""
    if len(text) < _LEAST_CHARS:
        return
    symbols = read_symbols(text, tables)
    coarse = count(symbols, WIDE)
    likely = model.logits(coarse, wide=True)
    # Nearly all good text ends here.
    if likely.max() < _SUSPECT:
        return
    fine = count(symbols, NARROW)
    logits = model.logits(fine, wide=False)
    owner = np.minimum(np.searchsorted(coarse.bounds, fine.bounds[:-1], "right") - 1, len(likely) - 1)
    logits = np.maximum(logits, likely[owner])
    if logits.max() <= 0:
        return
    open_at: RandomSpan | None = None
    for place in np.flatnonzero(_grown(logits)):
        low, high = int(fine.bounds[place]), int(fine.bounds[place + 1])
        kind, score = name_kind(fine, int(place)), 1 / (1 + math.exp(-float(logits[place])))
        if open_at is not None and open_at.kind == kind and low <= open_at.end:
            open_at = replace(open_at, end=high, score=max(open_at.score, score))
            continue
        if open_at is not None:
            yield _at_words(text, open_at)
        open_at = RandomSpan(low, high, kind, score)
    if open_at is not None:
        yield _at_words(text, open_at)


def _grown(logits: Numbers) -> NDArray[np.bool_]:
    """Windows that are junk, with those around them that may be: a stretch is weaker at its ends and in places."""
    possible = logits > _POSSIBLE
    edges = np.flatnonzero(np.diff(possible, prepend=False, append=False))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        possible[start:end] = logits[start:end].max() > 0
    return possible


def _at_words(text: str, span: RandomSpan) -> RandomSpan:
    """The stretch from a line's start to a line's end where they are near, else of whole words."""
    start, end = span.start, span.end
    if start > 0 and (line := text.find("\n", start, min(start + NARROW, end))) >= 0:
        start = line + 1
    if end < len(text) and (line := text.rfind("\n", max(end - NARROW, start), end)) >= 0:
        end = line
    low, high = max(start - _WORD_REACH, 0), min(end + _WORD_REACH, len(text))
    while start > low and not text[start - 1].isspace():
        start -= 1
    while end < high and not text[end].isspace():
        end += 1
    return RandomSpan(start, end, span.kind, round(span.score, 4))


def _united(shapes: list[RandomSpan], stretches: Iterator[RandomSpan], offset: int) -> list[RandomSpan]:
    """Both in one order and apart: a string by shape keeps its place and kind, stretches fill what is between."""
    out: list[RandomSpan] = []
    waiting = iter([*shapes, None])
    shape = next(waiting)
    done = 0
    for stretch in stretches:
        start, inside = max(stretch.start, done), 0
        while shape is not None and shape.start < stretch.end:
            out += _part(stretch, start, shape.start, fringe=not inside)
            out.append(shape)
            start, shape, inside = max(start, shape.end), next(waiting), inside + 1
        out += _part(stretch, start, stretch.end, fringe=inside > 0)
        done = max(start, stretch.end)
    while shape is not None:
        out.append(shape)
        shape = next(waiting)
    return [RandomSpan(one.start + offset, one.end + offset, one.kind, one.score) for one in out]


def _part(stretch: RandomSpan, start: int, end: int, *, fringe: bool) -> list[RandomSpan]:
    """A part of a stretch; next to a string by shape a narrow fringe is only what its windows share with it."""
    least = 2 * NARROW + _WORD_REACH if fringe else 1
    return [RandomSpan(start, end, stretch.kind, stretch.score)] if end - start >= least else []
