"""Stretches of random text, from the windows that the network takes for junk."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.digit_groups import is_sequence
from curator.gates.random_text.found import RandomSpan
from curator.gates.random_text.kinds import name_kinds
from curator.gates.random_text.model import Exact, Model
from curator.gates.random_text.scan import NARROW, WIDE, Scan, count, read_symbols
from curator.gates.random_text.tables import Tables

_SUSPECT = -4.0
"""Log odds of wide windows below which no narrow one is looked at; of windows that say nothing."""
_POSSIBLE = -3.5
"""Log odds above which a narrow window goes with a neighbour that is junk."""
_LEAST_CHARS = 20
"""Characters of the shortest text that says enough about its language; strings by shape are found in any."""
_LEAST_DIGITS, _LEAST_NUMBERS = 40, 8
_LEAST_WORDS = {"words": 120, "tokens": 120, "characters": 36}
"""Characters on end of real words in no order that say more than a list of things or a name does."""
_ALPHABET = 0.5
"""Share of letters that follow the one before them in the alphabet; by chance one in thirty does."""
_ENTRIES, _SORTED = 8, 0.9
"""Entries of an index, and the share of them that the alphabet has behind the one before; by chance half are."""
WORD_REACH = 40
"""Characters over which a stretch grows to a word's ends."""


def find_stretches(texts: Sequence[str], tables: Tables, model: Model) -> list[list[RandomSpan]]:
    """Random stretches of each text; of the texts together `hashing.LONGEST` characters at most.

    Wide windows know more, narrow ones where a stretch begins.
    """
    found: list[list[RandomSpan]] = [[] for _ in texts]
    looked = [number for number, text in enumerate(texts) if len(text) >= _LEAST_CHARS]
    if not looked:
        return found
    symbols = read_symbols([texts[number] for number in looked], tables)
    coarse = _see(count(symbols, WIDE), model, wide=True)
    # Nearly all good text ends here.
    suspects = np.flatnonzero(coarse.peaks >= _SUSPECT)
    if not len(suspects):
        return found
    fine = _see(count(symbols.pick(suspects), NARROW), model, wide=False)
    certain = np.flatnonzero(np.maximum(fine.peaks, coarse.peaks[suspects]) > 0)
    for place, suspect in zip(certain.tolist(), suspects[certain].tolist(), strict=True):
        number = looked[suspect]
        joined = _stretches(texts[number], *coarse.alone(suspect), *fine.alone(place))
        found[number] = list(_enough(texts[number], joined))
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """Texts in windows of one width.

    Attributes:
        scan: what the windows are made of.
        logits: log odds that each is junk; [windows].
        peaks: the largest of each text; [texts].
    """

    scan: Scan
    logits: Exact
    peaks: Exact

    def alone(self, text: int) -> tuple[Scan, Exact]:
        """The windows of one text and their log odds."""
        return self.scan.alone(text), self.logits[self.scan.first[text] : self.scan.first[text + 1] - 1]


def _see(scan: Scan, model: Model, *, wide: bool) -> _Seen:
    logits = model.logits(scan, wide=wide, least=_SUSPECT)
    return _Seen(scan, logits, np.maximum.reduceat(logits, scan.first[:-1]))


def _stretches(text: str, coarse: Scan, likely: Exact, fine: Scan, logits: Exact) -> Iterator[RandomSpan]:
    """Runs of junk windows, as one stretch for each kind."""
    owner = np.searchsorted(coarse.bounds, fine.bounds[:-1], "right") - 1
    logits = np.maximum(logits, likely[owner])
    open_at: RandomSpan | None = None
    places = np.flatnonzero(_grown(logits))
    for place, kind in zip(places.tolist(), name_kinds(fine, places), strict=True):
        low, high = int(fine.bounds[place]), int(fine.bounds[place + 1])
        score = 1 / (1 + math.exp(-float(logits[place])))
        if open_at is not None and open_at.kind == kind and low <= open_at.end:
            open_at = replace(open_at, end=high, score=max(open_at.score, score))
            continue
        if open_at is not None:
            yield _at_words(text, open_at)
        open_at = RandomSpan(low, high, kind, score)
    if open_at is not None:
        yield _at_words(text, open_at)


def _grown(logits: Exact) -> NDArray[np.bool_]:
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
    low, high = max(start - WORD_REACH, 0), min(end + WORD_REACH, len(text))
    while start > low and not text[start - 1].isspace():
        start -= 1
    while end < high and not text[end].isspace():
        end += 1
    return RandomSpan(start, end, span.kind, round(span.score, 4))


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
    yield from (one for one in run if not _is_series(text[one.start : one.end], one.kind))


def _is_series(text: str, kind: str) -> bool:
    """Whether digits are few or count, letters are an alphabet, or words an index."""
    if kind == "digits":
        numbers = re.findall("[0-9]+", text)
        return len(text) < _LEAST_DIGITS or (len(numbers) >= _LEAST_NUMBERS and is_sequence(numbers))
    return (kind == "letters" and _is_alphabet(text)) or _is_index(text)


def _is_index(text: str) -> bool:
    """Whether a text is a list in the order of the alphabet, in lines or between commas; not if it is numbered."""
    entries = [entry for part in re.split("[\n,;]", text) if (entry := part.strip().casefold())]
    ordered = sum(before < after and before[0].isalpha() for before, after in itertools.pairwise(entries))
    return len(entries) >= _ENTRIES and ordered >= _SORTED * (len(entries) - 1)


def _is_alphabet(text: str) -> bool:
    letters = [ord(char) for char in text.casefold() if char.isalpha()]
    steps = sum(after == before + 1 for before, after in itertools.pairwise(letters))
    return steps > _ALPHABET * len(letters)
