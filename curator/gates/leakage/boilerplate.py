"""What stands in an evaluation and in a thousand other texts: instructions, licences, templates."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from curator.gates.leakage.asked import sentence_spans
from curator.gates.leakage.grams import SIZES, Size, among, cover, grams, in_script, stretches
from curator.gates.leakage.phrases import INSTRUCTION_WORDS, LICENCE_ANCHOR, LICENCE_TERMS, PHRASES
from curator.gates.leakage.words import Hashes, Kinds, split_words

# Phrases that many items share are their template ...
_TEMPLATE_ITEMS, _TEMPLATE_SHARE, _TEMPLATE_MOST = 3, 0.05, 50
# ... unless they go on for longer than instructions with examples do: that is a passage with many questions.
_TEMPLATE_WORDS = 300
# Templates begin and end an item; what long items share in their middle is their documents.
_TEMPLATE_EDGE = 1_500
_LINE = 3
# A licence's longest sentences have about 800 characters; what has more is no sentence.
_LICENCE_TERMS, _LICENCE_CHARS = 3, 1_500
# Of a sentence's words, those that instructions are made of; and how many it takes at least.
_INSTRUCTION_SHARE, _INSTRUCTION_WORDS = 0.85, 4
# As much of a text as is looked at from either end.
_EDGE = 10_000
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_CLAUSE = re.compile(r"(?<=[.!?;])\s|\n\s*\n|[。！？；]")
_WORDS = re.compile(r"[^\W_]+")


class Boilerplate:
    """Exempt phrases: those that are known, and the user's.

    Args:
        exempt: further texts: none of their phrases (see `Size.phrase`) and of their lines is evidence.
    """

    def __init__(self, exempt: Iterable[str] = ()) -> None:
        rows: dict[int, list[Hashes]] = {}
        for text in (*PHRASES, *exempt):
            # A short line is a phrase of its own; one of two words or less would be in every text.
            lines = [split_words(line) for line in text.split("\n")]
            phrases = [split_words(text), *(line for line in lines if len(line) >= _LINE)]
            for words, size in itertools.product(phrases, SIZES):
                length = min(len(words), size.phrase)
                if length:
                    kept = in_script(words.kinds, size, length)
                    rows.setdefault(length, []).append(grams(words.hashes, length)[kept])
        known = {length: np.unique(np.concatenate(found)) for length, found in sorted(rows.items())}
        self._rows = {length: hashes for length, hashes in known.items() if len(hashes)}

    def flags(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Which of an item's tokens belong to exempt phrases."""
        found = np.zeros(len(hashes), bool)
        for length, known in self._rows.items():
            found |= cover(len(hashes), np.flatnonzero(among(grams(hashes, length), known)), length)
        return found


def boilerplate_spans(text: str) -> list[tuple[int, int]]:
    """Addresses, and sentences that are instructions or licence terms by their words.

    Of a long text, those near its beginning and end: instructions do not stand in the middle of a passage.
    """
    edges = [(0, _EDGE), (len(text) - _EDGE, len(text))] if len(text) > 2 * _EDGE else [(0, len(text))]
    found = list[tuple[int, int]]()
    for start, end in edges:
        found += [match.span() for match in _ADDRESS.finditer(text, start, end)]
        found += [span for span in sentence_spans(text, start, end) if _is_instruction(text[span[0] : span[1]])]
        found += [span for span in _clauses(text, start, end) if _is_licence(text[span[0] : span[1]])]
    return found


def template_flags(items: Sequence[tuple[Hashes, Kinds]]) -> list[NDArray[np.bool_]]:
    """Which tokens of each item are what many of the items share.

    Many: three, and one in twenty, of items that differ; fifty in any case.

    Args:
        items: the hashes and kinds of each item's tokens.
    """
    flags = [np.zeros(len(hashes), bool) for hashes, _ in items]
    unlike = {hashes.tobytes(): (hashes, kinds) for hashes, kinds in items}
    least = max(_TEMPLATE_ITEMS, min(len(unlike) * _TEMPLATE_SHARE, _TEMPLATE_MOST))
    for size in SIZES if len(unlike) >= least else ():
        found = [np.unique(_phrases(*item, size)) for item in unlike.values()]
        rows, counts = np.unique(np.concatenate(found), return_counts=True)
        shared = rows[counts >= least]
        if len(shared):
            for (hashes, _), flag in zip(items, flags, strict=True):
                starts = np.flatnonzero(among(grams(hashes, size.phrase), shared))
                flag |= cover(len(hashes), starts, size.phrase)
    for flag in flags:
        flag[_TEMPLATE_EDGE : max(len(flag) - _TEMPLATE_EDGE, 0)] = False
        for start, end in stretches(flag):
            if end - start > _TEMPLATE_WORDS:
                flag[start:end] = False
    return flags


def _phrases(hashes: Hashes, kinds: Kinds, size: Size) -> Hashes:
    """The phrases of one kind of script."""
    if not (kinds == size.kind).any():
        return hashes[:0]
    return grams(hashes, size.phrase)[in_script(kinds, size, size.phrase)]


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentences across line ends, since licences are wrapped."""
    for mark in _CLAUSE.finditer(text, start, end):
        yield start, mark.end()
        start = mark.end()
    yield start, end


def _is_licence(sentence: str) -> bool:
    if sentence.rstrip().endswith(("?", "？")) or len(sentence) > _LICENCE_CHARS:
        return False
    found = sum(term.search(sentence) is not None for term in LICENCE_TERMS)
    # Contracts and courts speak of liability and terms too.
    return found >= _LICENCE_TERMS + (LICENCE_ANCHOR.search(sentence) is None)


def _is_instruction(sentence: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(sentence) if len(word) > 1]
    known = sum(word in INSTRUCTION_WORDS for word in words)
    return known >= _INSTRUCTION_WORDS and known >= _INSTRUCTION_SHARE * len(words)
