"""A text as a row of hashed words; in scripts that write no spaces, of hashed characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from curator.gates.leakage.folding import CODES_END, fold, place_before_folding

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Kinds = NDArray[np.uint8]

WORD, IDEOGRAPH, SYLLABLE = 1, 2, 4
"""A token is a word, a Han or Kana character, or a character of Thai and other scripts without spaces."""
_DIGIT, _LABEL_END = 8, 16
_LABEL_ENDS = ").:]\u3001"
_ASCII = 128

_IDEOGRAPHS = (
    (0x3005, 0x3008), (0x3040, 0x3130), (0x31F0, 0x3200), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0x20000, 0x323B0),
)  # fmt: skip
# Thai, Lao, Tibetan, Burmese (two blocks), Khmer, Tai Le and New Tai Lue, Tai Tham, Balinese, Javanese.
_SYLLABLES = (
    (0x0E00, 0x1000), (0x1000, 0x10A0), (0xAA60, 0xAA80), (0x1780, 0x1800), (0x1950, 0x19E0), (0x1A20, 0x1AB0),
    (0x1B00, 0x1B80), (0xA980, 0xA9E0),
)  # fmt: skip

# Texts are taken in parts so that no table grows with them; a part ends at a space where there is one near.
_PART, _NEAR = 32_768, 1_000
_BASE = 0x9E3779B97F4A7C15
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF, _THIRD = np.uint64(32), np.uint64(29)


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of a text.

    Attributes:
        hashes: of each token; the same in every process.
        kinds: `WORD`, `IDEOGRAPH` or `SYLLABLE`, of each.
        letters: characters of each; none of what begins with a digit.
        starts: where each begins in the folded text.
        ends: where each ends there.
        parts: of each part of the text: where it begins in the folded text, where in the text, and its end there.
    """

    hashes: Hashes
    kinds: Kinds
    letters: Places
    starts: Places
    ends: Places
    parts: tuple[tuple[int, int, int], ...]

    def __len__(self) -> int:
        return len(self.hashes)

    def span(self, text: str, first: int, last: int) -> tuple[int, int]:
        """Where the tokens from ``first`` to ``last`` stand in the text that they were made of."""
        return self._place(text, int(self.starts[first]) + 1) - 1, self._place(text, int(self.ends[last]))

    def _place(self, text: str, folded: int) -> int:
        at, start, end = next(part for part in reversed(self.parts) if part[0] < folded)
        return place_before_folding(text, start, end, folded - at)


def split_words(text: str) -> Words:
    """The words of a text, whatever their case, punctuation, spaces and normal form.

    A letter or digit before a bracket, a full stop or a colon labels a choice or a step, and is no word.
    """
    found, parts, at = list[Words](), list[tuple[int, int, int]](), 0
    for start, end in _bounds(text):
        folded = fold(text[start:end])
        found.append(_tokens(folded, at))
        parts.append((at, start, end))
        at += len(folded)
    if len(found) == 1:
        return replace(found[0], parts=tuple(parts))
    return Words(
        np.concatenate([part.hashes for part in found]),
        np.concatenate([part.kinds for part in found]),
        np.concatenate([part.letters for part in found]),
        np.concatenate([part.starts for part in found]),
        np.concatenate([part.ends for part in found]),
        tuple(parts),
    )


def mixed(hashes: Hashes) -> Hashes:
    """The hashes with every bit depending on all bits."""
    hashes = (hashes ^ (hashes >> _HALF)) * _MIX
    hashes ^= hashes >> _THIRD
    return hashes


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > _PART:
        end = start + _PART
        space = max(text.rfind(" ", end - _NEAR, end), text.rfind("\n", end - _NEAR, end))
        end = space if space > start else end
        yield start, end
        start = end
    yield start, len(text)


def _tokens(folded: str, at: int) -> Words:
    # With a character that is no word's before it, what stands at `place` is number `place` + 1.
    codes, classes = _classed(f"\0{folded}\0")
    inner, alone = classes & np.uint8(WORD), classes & np.uint8(IDEOGRAPH | SYLLABLE)
    begins, ends_here = inner[1:] > inner[:-1], inner[:-1] > inner[1:]
    if alone.any():
        begins, ends_here = begins | (alone[1:] != 0), ends_here | (alone[:-1] != 0)
    starts, ends = np.flatnonzero(begins), np.flatnonzero(ends_here)
    labels = (ends - starts == 1) & (codes[ends] < _ASCII) & (classes[ends + 1] == _LABEL_END)
    if labels.any():
        starts, ends = starts[~labels], ends[~labels]
    powers, inverse = _powers(1 << len(codes).bit_length())
    sums = np.cumsum(codes * powers[: len(codes)])
    hashes = mixed((sums[ends] - sums[starts]) * inverse[starts])
    first = classes[starts + 1]
    letters = np.where(first & _DIGIT, 0, ends - starts)
    return Words(hashes, first & np.uint8(WORD | IDEOGRAPH | SYLLABLE), letters, starts + at, ends + at, ())


def _classed(folded: str) -> tuple[Hashes, Kinds]:
    """Code points and their classes."""
    if folded.isascii():
        small = np.frombuffer(folded.encode("ascii"), np.uint8)
        return small.astype(np.uint64), _ascii_classes()[small]
    codes = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes.astype(np.uint64), _classes()[codes]


@cache
def _classes() -> Kinds:
    table = np.zeros(0x110000, np.uint8)
    for code in range(CODES_END):
        category = unicodedata.category(chr(code))
        if category[0] in "LMN":
            table[code] = WORD | (_DIGIT if category[0] == "N" else 0)
    for character in _LABEL_ENDS:
        table[ord(character)] = _LABEL_END
    for kind, blocks in ((IDEOGRAPH, _IDEOGRAPHS), (SYLLABLE, _SYLLABLES)):
        for first, end in blocks:
            block = table[first:end]
            block[block & WORD != 0] = kind
    return table


@cache
def _ascii_classes() -> Kinds:
    return _classes()[:_ASCII].copy()


@cache
def _powers(size: int) -> tuple[Hashes, Hashes]:
    """The powers of the base and those of its inverse, modulo 2 to the 64th."""
    tables = []
    for base in (_BASE, pow(_BASE, -1, 1 << 64)):
        table = np.full(size, base, np.uint64)
        table[0] = 1
        tables.append(np.multiply.accumulate(table))
    return tables[0], tables[1]
