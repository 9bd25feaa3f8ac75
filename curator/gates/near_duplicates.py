"""Near duplicates: candidates by MinHash (rensa), each verified by its true Jaccard index."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop
from curator.gates.shingles import Shingles, jaccard_index, shingles

if TYPE_CHECKING:
    from rensa import RMinHash

# Fewer shingles say little: one changed word takes five of them. Such texts are left to the exact gate.
MIN_SHINGLES = 16
_PERMUTATIONS, _SEED = 128, 0
# A pair exactly at the asked index becomes a candidate this often at least; one above it more often.
_RECALL = 0.99
# A text like thousands of others (filled-in forms) is compared with those likest to it by MinHash.
_MAX_VERIFIED = 64
# Odd numbers that spread the parts of a key over its bits.
_SPREAD, _BAND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
# Members of a cluster that later texts are compared with; of a page copied 100,000 times the rest say nothing new.
_MAX_MEMBERS = 64


@dataclass(frozen=True, slots=True)
class Near:
    """What a text was like when it came.

    Attributes:
        owner: first name of the cluster that the text belongs to, or none.
        jaccard: highest index found with an earlier text, 0 to 1.
    """

    owner: str | None
    jaccard: float


def check_near_duplicate(near: Near, limit: float) -> Drop | None:
    """Refuse a text that belongs to an earlier one's cluster at an index of ``limit`` or more."""
    if near.owner is None or near.jaccard < limit:
        return None
    return Drop("near_duplicate", f"{near.jaccard:.0%} of the word runs shared with the texts like {near.owner}")


def bands_and_rows(limit: float) -> tuple[int, int]:
    """The bands and rows that find fewest pairs below ``limit``, yet 99 % of those at it, with 128 permutations.

    A pair of index J becomes a candidate with probability 1 - (1 - J^rows)^bands (Leskovec, Rajaraman and
    Ullman, Mining of Massive Datasets, 3.4).
    """
    found = [
        rows for rows in range(1, _PERMUTATIONS + 1) if _recall(limit, _PERMUTATIONS // rows, rows) >= _RECALL
    ]
    rows = max(found, default=1)
    return _PERMUTATIONS // rows, rows


def _recall(index: float, bands: int, rows: int) -> float:
    return 1.0 - (1.0 - index**rows) ** bands


def near_duplicate_keys(texts: Sequence[str], limit: float) -> list[NDArray[np.int64]]:
    """Of each text a number for every band of its MinHash; those without one in common are never compared.

    Args:
        texts: any texts; one of fewer than 16 shingles has no number.
        limit: as of `NearDuplicates`.
    """
    from rensa import RMinHash

    bands, rows = bands_and_rows(limit)
    keys = []
    for found in shingles(texts):
        if found.size < MIN_SHINGLES:
            keys.append(np.empty(0, np.int64))
            continue
        minhash = RMinHash(num_perm=bands * rows, seed=_SEED)
        minhash.update(found.view("V4").tolist())
        key = np.arange(1, bands + 1, dtype=np.uint64) * _BAND
        for row in np.array(minhash.digest(), np.uint64).reshape(bands, rows).T:
            key = (key ^ row) * _SPREAD
            key ^= key >> np.uint64(29)
        keys.append(key.view(np.int64))
    return keys


class NearDuplicates:
    """Remembers the texts it sees, in clusters that grow as texts come; depends on their order alone.

    Holds about 4 KB for a text of 2,000 characters: its shingles (4 bytes each), MinHash and bands. Of a cluster
    the first 64 are remembered. A text of a form that was filled in a thousand times before costs a millisecond.

    Args:
        jaccard: index of the shingles from which two texts are near duplicates, above 0 and up to 1.
    """

    def __init__(self, jaccard: float) -> None:
        from rensa import RMinHash, RMinHashLSH
        from scipy.cluster.hierarchy import DisjointSet

        self._limit = jaccard
        bands, rows = bands_and_rows(jaccard)
        self._permutations = bands * rows
        self._index = RMinHashLSH(threshold=jaccard, num_perm=self._permutations, num_bands=bands)
        self._new_hash = RMinHash
        self._names: list[str] = []
        self._shingles: dict[int, Shingles] = {}
        self._hashes: dict[int, RMinHash] = {}
        # Texts that are like another, by number; the first of each cluster by its root.
        self._clusters = DisjointSet()
        self._first: dict[int, int] = {}

    def add(self, name: str, text: str) -> Near:
        """See `add_all`."""
        return self.add_all([name], [text])[0]

    def add_all(self, names: Sequence[str], texts: Sequence[str]) -> list[Near]:
        """Compare each text with all before it, and remember it; the same, and faster, for many at once.

        Args:
            names: told as the owners of later texts.
            texts: any texts; one of fewer than 16 shingles is like no other, and is not remembered.
        """
        return [self._add(name, found) for name, found in zip(names, shingles(texts), strict=True)]

    def _add(self, name: str, found: Shingles) -> Near:
        if found.size < MIN_SHINGLES:
            return Near(None, 0.0)
        mine = self._hash(found)
        number, like, highest = len(self._names), set[int](), 0.0
        for other in self._likeliest(mine):
            index = jaccard_index(found, self._shingles[other])
            highest = max(highest, index)
            if index >= self._limit:
                like.add(self._root(other))
        self._names.append(name)
        owner = self._join(number, like)
        if owner is None or self._clusters.subset_size(number) <= _MAX_MEMBERS:
            self._index.insert(number, mine)
            self._shingles[number], self._hashes[number] = found, mine
        return Near(owner, highest)

    def clusters(self) -> list[list[str]]:
        """Names of the texts of each cluster of two or more, in the order in which they came."""
        groups = (sorted(group) for group in self._clusters.subsets())
        return [[self._names[number] for number in group] for group in sorted(groups)]

    def _hash(self, found: Shingles) -> RMinHash:
        minhash = self._new_hash(num_perm=self._permutations, seed=_SEED)
        minhash.update(found.view("V4").tolist())
        return minhash

    def _likeliest(self, mine: RMinHash) -> list[int]:
        """The candidates, or where they are many those with the highest estimates, earlier texts first."""
        candidates = sorted(self._index.query(mine))
        if len(candidates) <= _MAX_VERIFIED:
            return candidates
        return heapq.nlargest(_MAX_VERIFIED, candidates, key=lambda other: mine.jaccard(self._hashes[other]))

    def _root(self, number: int) -> int:
        return int(self._clusters[number]) if number in self._clusters else number

    def _join(self, number: int, like: set[int]) -> str | None:
        if not like:
            return None
        owner = min(self._first.get(root, root) for root in like)
        self._clusters.add(number)
        for root in like:
            self._clusters.add(root)
            self._clusters.merge(root, number)
        self._first[self._root(number)] = owner
        return self._names[owner]
