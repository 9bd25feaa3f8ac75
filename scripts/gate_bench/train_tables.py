"""Counts letter triples, words, pairs of words and of their endings of many languages into small tables."""

from __future__ import annotations

import itertools
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text import hashing
from curator.gates.random_text.symbols import Class, classes, code_points, letters
from curator.gates.random_text.tables import pack

_FULL = 400_000
"""Letter triples from which on a source has its full weight."""
_LEVELS = np.array([-10, -5, -1, 3, 7], np.int8)
_CUTS = (-3.5, -1.5, 0.0, 2.5)
"""Bounds, in bits, between the levels."""
_DOUBT = 10_000
"""Triples drawn by chance that each source is given besides its own."""
_FLOOR = 2e-7
_MANY, _LEAST = "docs:all", 2000
"""The source of many languages, and the characters from which on a script in it is counted."""
_DRAWN = 200_000
"""Random letters drawn for each source and way."""
_ENDING_LEVELS = np.array([-6, -4, -2, 0, 2, 4, 6, 8], np.int8)
_ENDING_CUTS = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5)
_ENDING_FLOOR, _ENDINGS, _STIRRED = 1e-7, 50_000, 2
"""Share added to each; pairs from which on a source has its full weight; how often its words are stirred."""
_WORDS, _PAIRS, _EAST = 250_000, 500_000, 230_000
"""How many are kept: of every language its most frequent ones."""
_USERS = {"docs:en": 16.0, "prose:eng": 8.0, "manual:en": 3.0}
"""Languages of which more is kept."""
_LITTLE = 50_000
"""Words up to which a source's words have no share of their own: two of few are no function word."""

Counts = NDArray[np.float64]
Hashes = NDArray[np.uint64]


@dataclass
class _Counted:
    """Sums over the sources."""

    good: Counts = field(default_factory=lambda: np.zeros(1 << hashing.TRIPLE_BITS))
    random: Counts = field(default_factory=lambda: np.zeros(1 << hashing.TRIPLE_BITS))
    ordered: Counts = field(default_factory=lambda: np.zeros(1 << hashing.ENDING_BITS))
    stirred: Counts = field(default_factory=lambda: np.zeros(1 << hashing.ENDING_BITS))
    ideographs: NDArray[np.intp] = field(default_factory=lambda: np.zeros(1 << 16, np.intp))
    words: list[tuple[Hashes, Counts, Counts]] = field(default_factory=list)
    pairs: list[tuple[NDArray[np.intp], Counts]] = field(default_factory=list)
    east: list[tuple[NDArray[np.intp], Counts]] = field(default_factory=list)


def make_tables(sources: Mapping[str, str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of ``tables.npz``."""
    counted = _Counted()
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in sources.items():
        languages[name.partition("@")[0]].append(text)
    for name, texts in languages.items():
        for text in _by_script(texts) if name == _MANY else ["\n".join(texts)]:
            # What is drawn for a source does not depend on the others.
            _count(name, text, counted, np.random.default_rng(20))
    common = np.zeros(1 << 16, np.uint8)
    common[counted.ideographs >= 2] = 1
    return {
        "levels": _LEVELS,
        "triples": pack(_triple_levels(counted), 3),
        "ending_levels": _ENDING_LEVELS,
        "endings": pack(
            np.digitize(_bits(counted.ordered, counted.stirred, _ENDING_FLOOR), _ENDING_CUTS).astype(np.uint8), 3
        ),
        "words": pack(_word_ranks(counted.words), 2),
        "pairs": pack(_seen_pairs(counted.pairs, _PAIRS) | _seen_pairs(counted.east, _EAST), 1),
        "ideographs": np.packbits(common),
    }


def _by_script(texts: Iterable[str]) -> list[str]:
    """Lines by the script of their letters: one of little text would be lost among the letters of the others."""
    out: defaultdict[str, list[str]] = defaultdict(list)
    for line in itertools.chain.from_iterable(text.split("\n") for text in texts):
        letter = next((char for char in line if char.isalpha()), "")
        out[unicodedata.name(letter, "").partition(" ")[0]].append(line)
    return ["\n".join(lines) for _, lines in sorted(out.items()) if sum(map(len, lines)) >= _LEAST]


def _count(name: str, text: str, counted: _Counted, draw: np.random.Generator) -> None:
    triples = np.zeros(1 << hashing.TRIPLE_BITS)
    alphabet = np.zeros(1 << 16, np.intp)
    hashes: list[Hashes] = []
    first: list[Hashes] = []
    second: list[Hashes] = []
    beside: list[Hashes] = []
    endings: list[NDArray[np.uint32]] = []
    for piece in _pieces(text):
        codes = code_points(piece)
        small = letters()[codes]
        kinds = classes()[codes]
        counted.ideographs += np.bincount(codes[(kinds == Class.HAN) | (kinds == Class.HANGUL)], minlength=1 << 16)
        east = (kinds >= Class.HAN) & (kinds <= Class.HANGUL)
        both = east[:-1] & east[1:]
        beside.append((codes[:-1][both].astype(np.uint64) << np.uint64(16)) | codes[1:][both])
        triples += np.bincount(_places(small), minlength=len(triples))
        alphabet += np.bincount(small, minlength=1 << 16)
        words = hashing.find_words(small)
        near = words.starts[1:] - words.ends[:-1] == 1
        hashes.append(words.hashes)
        first.append(words.hashes[:-1][near])
        second.append(words.hashes[1:][near])
        found = hashing.find_endings(small, words)
        linked = near & (kinds[words.ends[:-1][: len(near)]] == Class.SPACE)
        endings.append(np.stack((found[:, :-1][:, linked], found[:, 1:][:, linked])))
    total = triples.sum()
    if total == 0:
        return
    weight = float(np.sqrt(min(total / _FULL, 1.0))) * (0.5 if name.startswith("code:") else 1.0)
    random = _random_triples(alphabet, draw)
    # What a short source does not have is not said to be rare.
    counted.good += weight * (triples + _DOUBT * random) / (total + _DOUBT)
    counted.random += weight * random
    counted.east.append(_together(np.concatenate(beside), name))
    every = np.concatenate(hashes)
    counted.words.append(_common_words(every, name))
    if not name.startswith("code:"):
        counted.pairs.append(_common_pairs(every, np.concatenate(first), np.concatenate(second), name))
        _count_endings(np.concatenate(endings, axis=2), counted, draw)


def _count_endings(endings: NDArray[np.uint32], counted: _Counted, draw: np.random.Generator) -> None:
    """Count pairs of endings as they are, and of the same words in no order.

    Args:
        endings: of first words and of those behind; [2, 2, pairs].
        counted: to add to.
        draw: stirs.
    """
    first, second = endings
    if not first.size:
        return
    weight = float(np.sqrt(min(first.shape[1] / _ENDINGS, 1.0))) / first.shape[1]
    counted.ordered += weight * _shares(first, second)
    for _ in range(_STIRRED):
        counted.stirred += weight / _STIRRED * _shares(first, draw.permutation(second, axis=1))


def _shares(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> Counts:
    places = hashing.ending_places(first, second).ravel()
    return np.bincount(places, minlength=1 << hashing.ENDING_BITS).astype(float)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + hashing.LONGEST] for start in range(0, len(text), hashing.LONGEST))


def _places(small: NDArray[np.uint16]) -> NDArray[np.uint32]:
    inside = small != 1
    found: NDArray[np.uint32] = hashing.hash_triples(small)[inside[1:-1] & (inside[:-2] | inside[2:])]
    return found


def _random_triples(alphabet: NDArray[np.intp], draw: np.random.Generator) -> Counts:
    """Shares of triples where the source's letters are drawn evenly, and as often as they occur."""
    alphabet[1] = 0
    used = np.flatnonzero(alphabet >= max(2e-4 * alphabet.sum(), 1))
    often = alphabet[used] / alphabet[used].sum()
    out = np.zeros(1 << hashing.TRIPLE_BITS)
    for shares in (np.full(len(used), 1 / len(used)), often):
        drawn = draw.choice(used, _DRAWN, p=shares).astype(np.uint16)
        drawn[draw.random(_DRAWN) < 1 / 7] = 1
        found = np.bincount(_places(drawn), minlength=len(out))
        out += found / found.sum() / 2
    return out


def _triple_levels(counted: _Counted) -> NDArray[np.uint8]:
    return np.digitize(_bits(counted.good, counted.random, _FLOOR), _CUTS).astype(np.uint8)


def _bits(good: Counts, random: Counts, floor: float) -> Counts:
    """How much likelier each is in good text than by chance."""
    found: Counts = np.log2((good / good.sum() + floor) / (random / random.sum() + floor))
    return found


def _common_words(hashes: Hashes, name: str) -> tuple[Hashes, Counts, Counts]:
    """Words that come more than once, with their share of the source and their order in it."""
    words, counts = np.unique(hashes, return_counts=True)
    least = 2 if name.startswith(("prose:", "code:", "docs:")) else 5
    kept = counts >= least
    share = counts[kept] / max(len(hashes), _LITTLE)
    # Messages repeat the words of their subject as prose repeats its function words.
    return words[kept], np.minimum(share, 1 / 2000) if name.startswith("code:") else share, _order(share, name)


def _order(often: Counts, name: str) -> Counts:
    """Place of each in its source, the most frequent first, less for the languages of which more is kept."""
    place = np.empty(len(often))
    place[np.argsort(-often, kind="stable")] = np.arange(len(often))
    return place / _USERS.get(name, 1.0 if name.startswith(("prose:", "docs:")) else 0.3)


def _common_pairs(words: Hashes, first: Hashes, second: Hashes, name: str) -> tuple[NDArray[np.intp], Counts]:
    """Pairs that stand together more often than by chance, with their order in the source."""
    least = 2 if name.startswith(("prose:", "docs:")) else 6
    both, places, counts = np.unique(hashing.pair_places(first, second), return_index=True, return_counts=True)
    known, often = np.unique(words, return_counts=True)
    one = often[np.searchsorted(known, first[places])].astype(float)
    two = often[np.searchsorted(known, second[places])].astype(float)
    expected = one * two / max(len(words), 1)
    kept = (counts >= least) & (counts > 2 * expected)
    return both[kept], _order(counts[kept].astype(float), name)


def _together(beside: Hashes, name: str) -> tuple[NDArray[np.intp], Counts]:
    """East Asian characters that stand together more often than by chance, with their order in the source."""
    both, counts = np.unique(beside, return_counts=True)
    first, second = (both >> np.uint64(16)).astype(np.uint32), (both & np.uint64(0xFFFF)).astype(np.uint32)
    ones = np.bincount(first, weights=counts, minlength=1 << 16)
    twos = np.bincount(second, weights=counts, minlength=1 << 16)
    kept = (counts > 1) & (counts * max(counts.sum(), 1) > ones[first] * twos[second])
    return hashing.east_places(first[kept], second[kept]), _order(counts[kept].astype(float), name)


def _word_ranks(found: list[tuple[Hashes, Counts, Counts]]) -> NDArray[np.uint8]:
    hashes, shares, orders = (np.concatenate(column) for column in zip(*found, strict=True))
    table = np.zeros(1 << hashing.WORD_BITS, np.uint8)
    words, place = np.unique(hashes, return_inverse=True)
    top, first = np.zeros(len(words)), np.full(len(words), np.inf)
    np.maximum.at(top, place, shares)
    np.minimum.at(first, place, orders)
    best = np.argsort(first, kind="stable")[:_WORDS]
    rank = np.where(top[best] >= 1 / 500, 3, np.where(top[best] >= 1 / 5000, 2, 1)).astype(np.uint8)
    np.maximum.at(table, hashing.word_places(words[best]), rank)
    return table


def _seen_pairs(found: list[tuple[NDArray[np.intp], Counts]], most: int) -> NDArray[np.uint8]:
    places, orders = (np.concatenate(column) for column in zip(*found, strict=True))
    pairs, first = np.unique(places[np.argsort(orders, kind="stable")], return_index=True)
    table = np.zeros(1 << hashing.PAIR_BITS, np.uint8)
    table[pairs[np.argsort(first, kind="stable")[:most]]] = 1
    return table
