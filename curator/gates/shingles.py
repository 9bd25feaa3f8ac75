"""Short runs of words as numbers: what near duplicates share."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from curator.gates.normal_form import nfc

# What a character is. A token is a word, one sign, or one character of a script without spaces between words.
_WORD, _SPACE, _SIGN, _IDEOGRAPH, _UNSPACED = range(5)
# Tokens a shingle: five words are about eight characters of Chinese or Japanese, and twenty of Thai.
_WORDS = 5
_SIZES = np.array([0, 0, 0, 0, 0], np.int64)
_SIZES[[_WORD, _SIGN, _IDEOGRAPH, _UNSPACED]] = _WORDS, _WORDS, 8, 20
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
# Characters of a text hashed at a time, so that a huge one needs little memory.
_BLOCK = 65_536
# Characters of many texts hashed together: more of them fill the processor's caches, fewer not the arrays.
_TOGETHER = 16_384
# Between two blocks: a space, but none that indents a line.
_BETWEEN = "\x1c"
# Odd, so that it has an inverse modulo 2 to the 64; and the constants of a known bit mixer.
_BASE, _MIX = 0x9E3779B97F4A7C15, np.uint64(0xD6E8FEB86659FD93)
_HALF, _TOKEN = np.uint64(32), np.uint64(21)

Shingles = NDArray[np.uint32]
Places = NDArray[np.intp]


def shingles(texts: Sequence[str]) -> list[Shingles]:
    """Hashes of the runs of tokens in each text.

    A run is five words or signs, eight characters of Chinese or Japanese, or twenty of Thai, Lao, Tibetan,
    Burmese or Khmer, by what it begins with. Case, signs and indentation count; other spaces, kinds of quotes
    and dashes, and the form of normalisation do not.

    Args:
        texts: any texts. Runs across every 65,536th character are left out.

    Returns:
        For each text sorted hashes without repeats, [runs]; the same in every process, and whatever the other
        texts are.
    """
    parts: list[list[Shingles]] = [[] for _ in texts]
    for group in _groups(texts):
        for (number, _), found in zip(group, _hashes([block for _, block in group]), strict=True):
            parts[number].append(found)
    return list(map(_sorted, parts))


def jaccard_index(one: Shingles, other: Shingles) -> float:
    """Shared shingles over all shingles of two texts, 0 to 1; 0 where neither has any."""
    both = np.concatenate((one, other))
    # Two sorted runs are merged.
    both.sort(kind="stable")
    shared = int(np.count_nonzero(both[1:] == both[:-1]))
    return shared / (both.size - shared) if both.size else 0.0


def _groups(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Blocks to be hashed together, each with its text's number; those of ASCII alone need smaller arrays."""
    groups: dict[bool, list[tuple[int, str]]] = {True: [], False: []}
    chars = {True: 0, False: 0}
    for number, text in enumerate(texts):
        folded = _folded(text)
        is_ascii = folded.isascii()
        for start in range(0, len(folded), _BLOCK):
            block = folded[start : start + _BLOCK]
            if groups[is_ascii] and chars[is_ascii] + len(block) > _TOGETHER:
                yield groups[is_ascii]
                groups[is_ascii], chars[is_ascii] = [], 0
            groups[is_ascii].append((number, block))
            chars[is_ascii] += len(block)
    yield from filter(None, groups.values())


def _folded(text: str) -> str:
    folded = nfc(text)
    if not folded.isascii():
        for sign, plain in _TYPOGRAPHY.items():
            folded = folded.replace(sign, plain)
    return folded.replace("\r\n", "\n").replace("\r", "\n") if "\r" in folded else folded


def _sorted(parts: list[Shingles]) -> Shingles:
    """As `numpy.unique`, without its overhead for short arrays."""
    if not parts:
        return np.empty(0, np.uint32)
    found = parts[0] if len(parts) == 1 else np.concatenate(parts)
    found.sort()
    again = found[1:] == found[:-1]
    return found[np.append(True, ~again)] if np.count_nonzero(again) else found


def _hashes(blocks: list[str]) -> Iterator[Shingles]:
    """Hashes of each block's runs by a rolling polynomial over its visible characters, in any order."""
    text = _BETWEEN.join(blocks)
    codes, kinds = _classed(text)
    _indent(text, codes, kinds)
    visible, word = kinds != _SPACE, kinds == _WORD
    begins = visible.copy()
    begins[1:] &= ~(word[1:] & word[:-1])
    # Taking by number costs half of taking by flags.
    places, tokens = np.flatnonzero(visible), np.flatnonzero(begins)
    first = begins.take(places)
    # The bit above every code point says where a token begins: "ab c" is not "a bc".
    values = first.astype(np.uint64)
    values <<= _TOKEN
    values |= codes.take(places)
    powers, inverses = _powers()
    values *= powers[: values.size]
    sums = np.zeros(values.size + 1, np.uint64)
    np.cumsum(values, out=sums[1:])
    edges = np.append(np.flatnonzero(first), values.size)
    lengths = np.array([len(block) + len(_BETWEEN) for block in blocks])
    bounds = np.searchsorted(tokens, np.cumsum(lengths))
    sizes = _SIZES.take(kinds.take(tokens)) if kinds.max(initial=_WORD) >= _IDEOGRAPH else _WORDS
    numbers, ends = _runs(bounds, sizes)
    starts = edges.take(numbers)
    found = (sums.take(edges.take(ends)) - sums.take(starts)) * inverses.take(starts)
    found ^= found >> _HALF
    found *= _MIX
    found >>= _HALF
    stops = np.searchsorted(numbers, bounds).tolist()
    return (found[start:stop].astype(np.uint32) for start, stop in itertools.pairwise([0, *stops]))


def _runs(bounds: Places, sizes: Places | int) -> tuple[Places, Places]:
    """Numbers of the tokens that runs begin with, and of those they end before, none in another block.

    Args:
        bounds: number of the token after each block's last.
        sizes: tokens of the run that each token begins.
    """
    ends = np.add(np.arange(bounds[-1]), sizes, dtype=np.intp)
    counts = bounds.copy()
    counts[1:] -= bounds[:-1]
    numbers = np.flatnonzero(ends <= np.repeat(bounds, counts))
    return numbers, ends.take(numbers)


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
    stops = np.flatnonzero(blank[:-1] & ~blank[1:]) + 1
    at = np.searchsorted(stops, starts)
    # Of the spaces at a block's end nobody knows what follows.
    known = at < stops.size
    starts, ends = starts[known], stops[at[known]]
    kept = kinds[ends] != _SPACE
    for place in np.flatnonzero(~kept).tolist():
        # What shows nothing without being a space.
        kept[place] = not text[ends[place]].isspace()
    starts, lengths = starts[kept], (ends - starts)[kept]
    before = np.cumsum(lengths) - lengths
    kinds[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)] = _WORD


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
