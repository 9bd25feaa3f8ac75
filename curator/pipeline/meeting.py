"""Who meets whom: texts that share a key, also through others, as groups that nothing joins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from curator.engine.interface import KEY, Columns

PLACE = "place"
"""The column of a text's place: its part's number and its number there; places are in the order of a file."""
_PART = 32
Places = NDArray[np.int64]


def places(part: int, numbers: Sequence[int]) -> Places:
    """Places of texts of a part by their numbers there."""
    return (np.int64(part) << _PART) + np.array(numbers, np.int64)


def numbers_in(part: int, found: Places) -> NDArray[np.bool_]:
    """Which of some places are in a part."""
    inside: NDArray[np.bool_] = found >> _PART == part
    return inside


def number_of(place: int) -> int:
    """A text's number in its part."""
    return place & ((1 << _PART) - 1)


def part_of(place: int) -> int:
    """The part of a text."""
    return place >> _PART


def meetings(rows: Columns) -> NDArray[np.int64]:
    """Pairs of places that share a key.

    Args:
        rows: columns ``key`` and ``place``, all rows of some of the keys.

    Returns:
        Each text that shares a key with the one before it, by place, and that one: int64 [pairs, 2].
    """
    order = np.lexsort((rows[PLACE], rows[KEY]))
    keys, found = rows[KEY][order], rows[PLACE][order]
    same = (keys[1:] == keys[:-1]) & (found[1:] != found[:-1])
    pairs = np.stack([found[:-1][same], found[1:][same]], axis=1)
    # Near texts share most of their keys.
    return np.unique(pairs, axis=0)


def groups(pairs: Sequence[NDArray[np.int64]]) -> tuple[Places, Places]:
    """Texts that meet others, also through others.

    Args:
        pairs: as of `meetings`.

    Returns:
        Their places, in order, and the first place of each one's group, int64 [texts] both.
    """
    if not sum(map(len, pairs)):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    every = np.concatenate(list(pairs))
    found, numbers = np.unique(every, return_inverse=True)
    numbers = numbers.reshape(every.shape)
    ones = np.ones(len(every), np.int8)
    graph = coo_array((ones, (numbers[:, 0], numbers[:, 1])), shape=(found.size, found.size))
    _, labels = connected_components(graph, directed=False)
    # Places are in order: the first of a label is its first place.
    _, first = np.unique(labels, return_index=True)
    return found, found[first][labels]
