"""What languages are like: letter triples, words, pairs of words and of their endings, counted beforehand."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.hashing import ENDING_BITS, TRIPLE_BITS, WORD_BITS
from curator.gates.random_text.symbols import Class, classes

_FILE = Path(__file__).with_name("tables.npz")


@dataclass(frozen=True, slots=True)
class Tables:
    """Statistics of good text, by hash.

    Attributes:
        triples: how much likelier a letter triple is in languages than by chance, in half bits; [2**18].
        words: how common a word is in any language, 0 for unknown to 3; [2**21].
        pairs: a bit for two words, or East Asian characters, that often stand together; [2**20].
        endings: how much likelier the endings of two words on end are in languages, in half bits; [2**21].
        classes: `Class` by code point; [2**16].
        capital: 1 for a class of capital letters; [classes].
    """

    triples: NDArray[np.int8]
    words: NDArray[np.uint8]
    pairs: NDArray[np.uint8]
    endings: NDArray[np.int8]
    classes: NDArray[np.uint8]
    capital: NDArray[np.uint8]

    def has_pairs(self, places: NDArray[np.intp]) -> NDArray[np.uint8]:
        """1 for each place whose pair is known: bits, as bytes would not fit into a core's cache."""
        held = self.pairs.take(places >> 3)
        held >>= 7 - (places & 7).astype(np.uint8)
        held &= np.uint8(1)
        return held


@functools.cache
def load_tables() -> Tables:
    """The tables next to this module."""
    with np.load(_FILE) as stored:
        return tables_of(dict(stored))


def tables_of(stored: Mapping[str, NDArray[Any]]) -> Tables:
    """The tables of stored arrays."""
    triples = stored["levels"].astype(np.int8)[unpack(stored["triples"], TRIPLE_BITS, 3)]
    endings = stored["ending_levels"].astype(np.int8)[unpack(stored["endings"], ENDING_BITS, 3)]
    words, pairs = unpack(stored["words"], WORD_BITS, 2), stored["pairs"]
    kinds = classes().copy()
    common = np.unpackbits(stored["ideographs"]).astype(np.bool_)
    kinds[((kinds == Class.HAN) | (kinds == Class.HANGUL)) & ~common] = Class.RARE_HAN
    capital = np.isin(np.arange(len(Class)), [Class.UPPER, Class.ACCENTED_UPPER, Class.OTHER_UPPER]).astype(
        np.uint8
    )
    return Tables(triples, words, pairs, endings, kinds, capital)


def pack(values: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    """Numbers of ``width`` bits each, one plane of bits after the other."""
    return np.packbits(np.stack([values >> np.uint8(bit) & np.uint8(1) for bit in range(width)]))


def unpack(packed: NDArray[np.uint8], bits: int, width: int) -> NDArray[np.uint8]:
    """What `pack` packed: ``2**bits`` numbers."""
    planes = np.unpackbits(packed).reshape(width, 1 << bits)
    out = np.zeros(1 << bits, np.uint8)
    for bit, plane in enumerate(planes):
        out |= plane << np.uint8(bit)
    return out
