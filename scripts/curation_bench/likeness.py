"""The true likeness of documents: the Jaccard index of their runs of five words, counted, not estimated."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

RUN = 5
_WORD = re.compile(r"\w+")
Runs = NDArray[np.uint64]


def word_runs(text: str, codes: dict[str, int]) -> Runs:
    """Numbers of the runs of five words in small letters, sorted, each once; of 64 bits: no two meet by chance.

    Args:
        text: any text.
        codes: the number of each word seen so far; grows.
    """
    words = _WORD.findall(text.lower())
    if len(words) < RUN:
        return np.empty(0, np.uint64)
    numbers = np.fromiter((codes.get(word) or _code(word, codes) for word in words), np.uint64, len(words))
    factor = np.uint64(0x9E3779B97F4A7C15)
    runs = np.zeros(len(words) - RUN + 1, np.uint64)
    for place in range(RUN):
        runs = runs * factor + numbers[place : place + len(runs)]
    return np.unique(runs)


def _code(word: str, codes: dict[str, int]) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    codes[word] = int.from_bytes(digest, "little") | 1
    return codes[word]


def index_of(one: Runs, other: Runs) -> float:
    """Shared runs over all runs of both; 0 where neither has any."""
    shared = len(np.intersect1d(one, other, assume_unique=True))
    total = len(one) + len(other) - shared
    return shared / total if total else 0.0


def nearest(asked: Sequence[int], runs: Sequence[Runs]) -> list[float]:
    """For each document asked for, the highest index with any other; all pairs that share a run are looked at.

    Args:
        asked: numbers of documents.
        runs: of all documents, from `word_runs`.
    """
    wanted = np.unique(np.concatenate([runs[at] for at in asked])) if asked else np.empty(0, np.uint64)
    keys, owners = _postings(wanted, runs)
    found: list[float] = []
    for at in asked:
        low, high = np.searchsorted(keys, runs[at]), np.searchsorted(keys, runs[at], "right")
        parts = [owners[first:last] for first, last in zip(low.tolist(), high.tolist(), strict=True)]
        others = np.concatenate(parts) if parts else np.empty(0, np.int64)
        numbers, shared = np.unique(others[others != at], return_counts=True)
        sizes = np.array([len(runs[other]) for other in numbers.tolist()], np.int64)
        found.append(float(np.max(shared / (sizes + len(runs[at]) - shared), initial=0.0)))
    return found


def _postings(wanted: Runs, runs: Iterable[Runs]) -> tuple[Runs, NDArray[np.int64]]:
    """Each wanted run with each document that has it, sorted by run."""
    keys: list[Runs] = []
    owners: list[NDArray[np.int64]] = []
    for number, own in enumerate(runs):
        at = np.searchsorted(wanted, own)
        at[at == len(wanted)] = 0
        held = own[wanted[at] == own] if len(wanted) else own[:0]
        keys.append(held)
        owners.append(np.full(len(held), number, np.int64))
    joined, whose = np.concatenate(keys), np.concatenate(owners)
    order = np.argsort(joined, kind="stable")
    return joined[order], whose[order]
