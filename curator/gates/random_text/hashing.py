"""Letter triples, words, pairs of words and of their endings of a text as numbers, all at once."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 1 << 16
"""Characters that are hashed at once at most."""
TRIPLE_BITS, WORD_BITS, PAIR_BITS, ENDING_BITS = 18, 21, 23, 21
_FACTOR = 0x9E3779B97F4A7C15
_SPREAD = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: runs of letters.

    Attributes:
        starts: offsets of their first characters.
        ends: offsets behind their last characters.
        hashes: a number for each word, the same whatever its case; [words], 64 bits.
    """

    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    hashes: NDArray[np.uint64]


def hash_triples(small: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Place in the table of letter triples, for each but the last two characters; from `letters` by code point."""
    wide = small.astype(np.uint32)
    mixed = wide[:-2] * np.uint32(0x9E3779B1)
    mixed ^= wide[1:-1] * np.uint32(0x85EBCA77)
    mixed ^= wide[2:] * np.uint32(0xC2B2AE3D)
    mixed *= np.uint32(0x27D4EB2F)
    mixed >>= np.uint32(32 - TRIPLE_BITS)
    return mixed


def find_words(small: NDArray[np.uint16]) -> Words:
    """Runs of letters among at most `LONGEST` + 1 characters."""
    inside = small != 1
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if len(inside) and inside[0]:
        edges = np.concatenate(([0], edges))
    if len(edges) % 2:
        edges = np.concatenate((edges, [len(inside)]))
    starts, ends = edges[::2], edges[1::2]
    powers, inverse = _powers()
    # The sum of letters times powers up to a place: the difference of two, moved to the front, tells a word.
    sums = np.zeros(len(small) + 1, np.uint64)
    np.cumsum(np.multiply(small, powers[: len(small)], out=sums[1:]), out=sums[1:])
    at = sums.take(edges)
    return Words(starts, ends, (at[1::2] - at[::2]) * inverse.take(starts))


def find_endings(small: NDArray[np.uint16], words: Words) -> NDArray[np.uint32]:
    """The last two and the last three letters of each word as numbers; [2, words]."""
    ends, lengths = words.ends, words.ends - words.starts
    one, two, three = (small.take(ends - back, mode="clip").astype(np.uint32) for back in (1, 2, 3))
    # A word that is shorter ends with the gap before it.
    two[lengths < 2] = 1
    three[lengths < 3] = 1
    out = np.empty((2, len(ends)), np.uint32)
    np.bitwise_xor(one * np.uint32(0x9E3779B1), two * np.uint32(0x85EBCA77), out=out[0])
    np.bitwise_xor(out[0], three * np.uint32(0xC2B2AE3D), out=out[1])
    return out


def ending_places(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Places in the table of endings, of words and those behind them: by 2, by 3 and 2, by 3 letters; [3, pairs].

    Args:
        first: from `find_endings`; [2, pairs].
        second: likewise, of the words behind; [2, pairs].
    """
    both = np.empty((3, first.shape[1]), np.uint32)
    np.multiply(first.take((0, 1, 1), 0), np.uint32(0x2C1B3C6D), out=both)
    both ^= second.take((0, 0, 1), 0)
    both *= np.uint32(0x27D4EB2F)
    both ^= both >> np.uint32(15)
    both *= np.uint32(0x297A2D39)
    both >>= np.uint32(32 - ENDING_BITS)
    return both


def word_places(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Places in the table of words."""
    return ((hashes * _SPREAD) >> np.uint64(64 - WORD_BITS)).astype(np.intp)


def pair_places(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Places in the table of pairs of words."""
    mixed = (first * np.uint64(_FACTOR) + second) * _SPREAD
    return (mixed >> np.uint64(64 - PAIR_BITS)).astype(np.intp)


def east_places(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Places in the table of pairs, for two East Asian characters that stand together."""
    return pair_places(first + np.uint64(1 << 32), second.astype(np.uint64))


@functools.cache
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    # An odd number has an inverse among the 64-bit numbers.
    inverse = pow(_FACTOR, -1, 1 << 64)
    return _series(_FACTOR), _series(inverse)


def _series(factor: int) -> NDArray[np.uint64]:
    steps = np.full(LONGEST + 1, factor, np.uint64)
    steps[0] = 1
    return np.cumprod(steps, dtype=np.uint64)
