"""An order of texts in which the first ones cover the space of their vectors as well as so many can."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Similarities of so many texts with each other are held at once; more are ordered block by block, as they come.
BLOCK = 2048
# Sums of products differ in their last digits from machine to machine.
_DIGITS = 4


def cover(vectors: NDArray[np.floating]) -> list[int]:
    """Greedy facility location: next is always the text that adds most similarity of all texts to their nearest.

    The sum over all texts of the similarity to the nearest of the first k is at least 1 - 1/e of the best that any
    k of a block reach, since the function is submodular (Nemhauser, Wolsey and Fisher, 1978). Ties go to the
    earlier text.

    Args:
        vectors: one row a text; their lengths do not matter.

    Returns:
        All row numbers.
    """
    starts = range(0, len(vectors), BLOCK)
    return [start + at for start in starts for at in _cover_block(vectors[start : start + BLOCK])]


def _cover_block(vectors: NDArray[np.floating]) -> list[int]:
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    units = (vectors / norms).astype(np.float64)
    # From 0 to 1, so that covering a text badly is never worse than not at all.
    near = (1 + units @ units.T) / 2
    best = np.zeros(len(near))
    left = np.ones(len(near), dtype=bool)
    order: list[int] = []
    for _ in range(len(near)):
        gains = np.round(np.maximum(near - best[:, None], 0).sum(axis=0), _DIGITS)
        chosen = int(np.argmax(np.where(left, gains, -1.0)))
        order.append(chosen)
        left[chosen] = False
        best = np.maximum(best, near[:, chosen])
    return order
