"""Which evaluation items a text is nearest to in meaning: a report, no gate, since near is not the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Texts compared at once: 1,024 of them against 10,000 items take 40 MB.
_BLOCK = 1_024


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A text's nearest items, nearest first.

    Attributes:
        items: their numbers.
        cosines: from -1 to 1; 0 where a vector is zero or not finite.
    """

    items: tuple[int, ...]
    cosines: tuple[float, ...]


def nearest_items(texts: NDArray[np.floating], items: NDArray[np.floating], k: int = 3) -> list[Neighbours]:
    """The ``k`` items nearest to each text by cosine; equally near ones in their order.

    Args:
        texts: one vector a text, (texts, dimensions).
        items: one vector an item, (items, dimensions).
        k: how many; fewer where there are fewer items.
    """
    units = _units(items)
    found = list[Neighbours]()
    for start in range(0, len(texts), _BLOCK):
        cosines = np.clip(_units(texts[start : start + _BLOCK]) @ units.T, -1.0, 1.0)
        order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
        for row, nearest in zip(cosines, order, strict=True):
            found.append(Neighbours(tuple(nearest.tolist()), tuple(row[nearest].tolist())))
    return found


def _units(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    vectors = np.asarray(vectors, np.float32)
    # A broken vector is near to nothing; as NaN it would be sorted anywhere.
    vectors = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, np.float32(0))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float32] = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return units
