"""Short runs of words as numbers: what near duplicates share."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from curator.gates.normal_form import nfc

# What a character is. A token is a word, one sign, or one character of a script without spaces between words.
_WORD, _SPACE, _SIGN, _IDEOGRAPH, _UNSPACED = range(5)
# Tokens a shingle: five words are about eight characters of Chinese or Japanese, and twenty of Thai.
_WORDS = 5
_SIZES = np.array([_WORDS, 0, _WORDS, 8, 20], np.uint8)
_ALL_SIZES = (_WORDS, 8, 20)
_SPACES = [
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0xAD, 0xAD), (0x1680, 0x1680), (0x2000, 0x200F),
    (0x2028, 0x202F), (0x205F, 0x2064), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
]  # fmt: skip
_SIGNS = [
    (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x5E), (0x60, 0x60), (0x7B, 0x7E), (0xA1, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1),
    (0xB4, 0xB4), (0xB6, 0xB8), (0xBB, 0xBB), (0xBF, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7), (0x2010, 0x2027),
    (0x2030, 0x205E), (0x20A0, 0x20BF), (0x2190, 0x2BFF), (0x2E00, 0x2E5D), (0x3001, 0x3004), (0x3008, 0x3020),
    (0x30FB, 0x30FB), (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF65), (0x1F000, 0x1FAFF),
]  # fmt: skip
_IDEOGRAPHS = [
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3040, 0x30FA), (0x30FC, 0x312F), (0x31A0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F), (0x20000, 0x3FFFF),
]  # fmt: skip
# Thai, Lao, Tibetan, Burmese and Khmer.
_UNSPACED_LETTERS = [(0x0E00, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)]
# The same sign from another keyboard.
_TYPOGRAPHY = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"}
# Indentation belongs to the first word of its line: it tells code from code.
_NEWLINE, _TAB, _BLANK = b"\n\t "
# Characters hashed at a time, so that a huge text needs little memory.
_BLOCK = 65_536
# Odd, so that it has an inverse modulo 2 to the 64; and the constants of a known bit mixer.
_BASE, _MIX = 0x9E3779B97F4A7C15, np.uint64(0xD6E8FEB86659FD93)
_HALF, _TOKEN = np.uint64(32), np.uint64(21)

Shingles = NDArray[np.uint32]


def shingles(text: str) -> Shingles:
    """Hashes of the runs of tokens in a text.

    A run is five words or signs, eight characters of Chinese or Japanese, or twenty of Thai, Lao, Tibetan,
    Burmese or Khmer, by what it begins with. Case, signs and indentation count; other spaces, kinds of quotes
    and dashes, and the form of normalisation do not.

    Args:
        text: any text. Runs across every 65,536th character are left out.

    Returns:
        Sorted hashes without repeats, [runs]; the same in every process.
    """
    folded = nfc(text)
    if not folded.isascii():
        for sign, plain in _TYPOGRAPHY.items():
            folded = folded.replace(sign, plain)
    folded = folded.replace("\r\n", "\n").replace("\r", "\n")
    parts = [_hashes(folded[start : start + _BLOCK]) for start in range(0, len(folded), _BLOCK)]
    if not parts:
        return np.empty(0, np.uint32)
    # As `numpy.unique`, without its overhead for short arrays.
    found = parts[0] if len(parts) == 1 else np.concatenate(parts)
    found.sort()
    first = np.ones(found.size, bool)
    np.not_equal(found[1:], found[:-1], out=first[1:])
    return found[first]


def jaccard_index(one: Shingles, other: Shingles) -> float:
    """Shared shingles over all shingles of two texts, 0 to 1; 0 where neither has any."""
    shared = np.intersect1d(one, other, assume_unique=True).size
    total = one.size + other.size - shared
    return shared / total if total else 0.0


def _hashes(text: str) -> Shingles:
    """Hashes of a block's runs by a rolling polynomial over its visible characters, in any order."""
    codes, kinds = _classed(text)
    _indent(text, codes, kinds)
    visible, word = kinds != _SPACE, kinds == _WORD
    begins = visible.copy()
    begins[1:] &= ~(word[1:] & word[:-1])
    # Taking by number costs half of taking by flags.
    places = np.flatnonzero(visible)
    first = begins.take(places)
    # The bit above every code point says where a token begins: "ab c" is not "a bc".
    values = codes.take(places).astype(np.uint64)
    values |= first.astype(np.uint64) << _TOKEN
    powers, inverses = _powers()
    sums = np.zeros(values.size + 1, np.uint64)
    np.cumsum(values * powers[: values.size], out=sums[1:])
    edges = np.append(np.flatnonzero(first), values.size)
    if kinds.max(initial=_WORD) < _IDEOGRAPH:
        found = _runs(sums, inverses, edges[:-_WORDS], edges[_WORDS:])
    else:
        sizes = _SIZES[kinds[begins]]
        chosen = [np.flatnonzero(sizes[: max(sizes.size - size + 1, 0)] == size) for size in _ALL_SIZES]
        ends = [edges[numbers + size] for numbers, size in zip(chosen, _ALL_SIZES, strict=True)]
        found = _runs(sums, inverses, edges[np.concatenate(chosen)], np.concatenate(ends))
    mixed = (found ^ (found >> _HALF)) * _MIX
    hashes: Shingles = (mixed >> _HALF).astype(np.uint32)
    return hashes


def _classed(text: str) -> tuple[NDArray[np.uint8 | np.uint32], NDArray[np.uint8]]:
    """Code points and their kinds."""
    if text.isascii():
        data = text.encode("ascii")
        return np.frombuffer(data, np.uint8), np.frombuffer(bytearray(data.translate(_ascii_kinds())), np.uint8)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return codes, _kinds()[codes]


def _indent(text: str, codes: NDArray[np.uint8 | np.uint32], kinds: NDArray[np.uint8]) -> None:
    """Make words of the spaces and tabs between a line end and the first visible character of its line."""
    if "\n " not in text and "\n\t" not in text:
        return
    blank = (codes == _BLANK) | (codes == _TAB)
    starts = np.flatnonzero(blank[1:] & (codes[:-1] == _NEWLINE)) + 1
    stops = np.flatnonzero(~blank)
    at = np.searchsorted(stops, starts)
    # Of the spaces at a block's end nobody knows what follows.
    known = at < stops.size
    starts, ends = starts[known], stops[at[known]]
    kept = kinds[ends] != _SPACE
    for place in np.flatnonzero(~kept).tolist():
        # What shows nothing without being a space.
        kept[place] = not text[ends[place]].isspace()
    edges = np.zeros(codes.size + 1, np.int8)
    edges[starts[kept]], edges[ends[kept]] = 1, -1
    kinds[np.cumsum(edges[:-1], dtype=np.int8).view(bool)] = _WORD


def _runs(
    sums: NDArray[np.uint64], inverses: NDArray[np.uint64], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.uint64]:
    return (sums.take(ends) - sums.take(starts)) * inverses.take(starts)


@functools.cache
def _kinds() -> NDArray[np.uint8]:
    """The kind of every code point; what is in no list belongs to words."""
    kinds = np.full(0x110000, _WORD, np.uint8)
    listed = {_SPACE: _SPACES, _SIGN: _SIGNS, _IDEOGRAPH: _IDEOGRAPHS, _UNSPACED: _UNSPACED_LETTERS}
    for kind, ranges in listed.items():
        for low, high in ranges:
            kinds[low : high + 1] = kind
    return kinds


@functools.cache
def _ascii_kinds() -> bytes:
    return _kinds()[:256].tobytes()


@functools.cache
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Powers of the base and of its inverse modulo 2 to the 64, one for each character of a block."""
    bases = [np.full(_BLOCK + 1, base, np.uint64) for base in (_BASE, pow(_BASE, -1, 1 << 64))]
    for base in bases:
        base[0] = 1
    return np.multiply.accumulate(bases[0]), np.multiply.accumulate(bases[1])
