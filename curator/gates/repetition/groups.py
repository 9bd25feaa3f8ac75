"""Groups of words that come round at one distance."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

# Characters of a word group: six words or so. From every word's start on, or from every character on where
# words are longer than this on average, as in scripts without spaces.
_GROUP, _LONG_WORD, _SPACE = 32, 40, 32
_FACTOR, _HALF = 0x9E3779B97F4A7C15, np.uint64(32)
# Characters of a text in which word groups are looked for at a time, and of many texts looked at together: more of
# them fill the processor's caches, fewer not the arrays.
_PIECE, _TOGETHER = 1 << 16, 1 << 15
_BETWEEN = "\n"

Hashes = NDArray[np.uint64]
Places = NDArray[np.intp]


def repeated_groups(texts: Sequence[str]) -> list[float]:
    """Of each text; see `Repetition`."""
    found, groups = [0] * len(texts), [0] * len(texts)
    for pieces in _pieces_together(texts):
        hashed = _group_hashes([piece for _, piece in pieces])
        for (number, _), (hashes, starts) in zip(pieces, hashed, strict=True):
            found[number] += _in_cycles(hashes, starts)
            groups[number] += len(hashes)
    return [repeated / max(total, 1) for repeated, total in zip(found, groups, strict=True)]


def _pieces_together(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Pieces of texts to be hashed together, each with its text's number."""
    pieces: list[tuple[int, str]] = []
    chars = 0
    for number, text in enumerate(texts):
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            if pieces and chars + len(piece) > _TOGETHER:
                yield pieces
                pieces, chars = [], 0
            pieces.append((number, piece))
            chars += len(piece) + len(_BETWEEN)
    if pieces:
        yield pieces


def _group_hashes(pieces: list[str]) -> Iterator[tuple[Hashes, Places]]:
    """Hashes of each piece's word groups, with the places where they begin."""
    joined = _BETWEEN.join(pieces)
    codes = (
        np.frombuffer(joined.encode("ascii"), np.uint8)
        if joined.isascii()
        else np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    )
    ends = list(itertools.accumulate(len(piece) + len(_BETWEEN) for piece in pieces))
    starts = np.flatnonzero(_group_starts(codes > _SPACE, [0, *ends]))
    powers = _powers()
    # A polynomial hash of all that stands before each place: two of them give the hash of what is between.
    values = codes.astype(np.uint64)
    values += np.uint64(1)
    values *= powers[: len(codes)]
    before = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(values, out=before[1:])
    hashes = (before.take(starts + _GROUP) - before.take(starts)) * powers.take(len(powers) - 1 - starts)
    bounds = np.searchsorted(starts, ends).tolist()
    return ((hashes[first:last], starts[first:last]) for first, last in itertools.pairwise([0, *bounds]))


def _group_starts(visible: NDArray[np.bool_], bounds: list[int]) -> NDArray[np.bool_]:
    """Where word groups begin: at each word but a piece's first, and no later than a group before its end.

    Args:
        visible: whether each character is none that separates words.
        bounds: where each piece begins, and behind the last.
    """
    found = np.zeros(len(visible), bool)
    np.greater(visible[1:], visible[:-1], out=found[1:])
    for start, end in itertools.pairwise(bounds):
        last = max(end - len(_BETWEEN) - _GROUP + 1, start)
        found[start], found[last:end] = False, False
        if np.count_nonzero(found[start:last]) * _LONG_WORD < end - len(_BETWEEN) - start:
            found[start:last] = True
    return found


def _in_cycles(hashes: Hashes, starts: Places) -> int:
    """Groups that came before at one distance twice running."""
    # Half of a hash is sorted faster, and tells all but a few texts that have no group twice.
    ordered = (hashes >> _HALF).astype(np.uint32)
    ordered.sort()
    if not np.count_nonzero(ordered[1:] == ordered[:-1]):
        return 0
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    if not len(same):
        return 0
    here, before = order[same + 1], order[same]
    distance = np.zeros(len(hashes), np.intp)
    distance[here] = starts[here] - starts[before]
    return int(np.count_nonzero(distance[here] == distance[before]))


@functools.cache
def _powers() -> Hashes:
    factors = np.full(_PIECE + len(_BETWEEN) + 1, _FACTOR, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
