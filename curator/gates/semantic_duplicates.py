"""Texts that say the same in other words: cosine of their embeddings, each against all kept ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop

# Rows a product: bounds its memory. Decimals: sums of other builds of BLAS differ in the seventh.
_BLOCK, _DECIMALS = 65_536, 6


def check_semantic_duplicate(owner: str | None, cosine: float) -> Drop | None:
    """Refuse a text that means what a kept one means."""
    return None if owner is None else Drop("semantic_duplicate", f"cosine {cosine:.3f} with {owner}")


class SemanticDuplicates:
    """Remembers the vectors of the texts that were kept; exact, by brute force.

    Args:
        cosine: from this on two texts are duplicates.
    """

    def __init__(self, cosine: float) -> None:
        self._limit = cosine
        self._names: list[str] = []
        self._kept: NDArray[np.float32] | None = None

    def add(self, name: str, vector: NDArray[np.float32]) -> tuple[str | None, float]:
        """Compare a vector with all kept ones; remember it unless it is a duplicate.

        Args:
            name: told as the owner of later texts.
            vector: [dimensions], of any length; one of length zero, or not finite, is like no other.

        Returns:
            The most similar kept text where the limit is reached, the earliest of equals, else none; and the
            highest cosine, 0 where there is nothing to compare.
        """
        unit = _unit(vector)
        if unit is None:
            return None, 0.0
        nearest, cosine = self._nearest(unit)
        if nearest is not None and cosine >= self._limit:
            return self._names[nearest], cosine
        self._keep(name, unit)
        return None, cosine

    def _nearest(self, unit: NDArray[np.float32]) -> tuple[int | None, float]:
        if self._kept is None:
            return None, 0.0
        blocks = range(0, len(self._names), _BLOCK)
        cosines = np.concatenate(
            [self._kept[start : min(start + _BLOCK, len(self._names))] @ unit for start in blocks]
        )
        rounded = np.round(cosines.astype(np.float64), _DECIMALS)
        nearest = int(rounded.argmax())
        return nearest, float(np.clip(rounded[nearest], -1.0, 1.0))

    def _keep(self, name: str, unit: NDArray[np.float32]) -> None:
        if self._kept is None:
            self._kept = np.empty((1024, unit.size), np.float32)
        elif len(self._names) == len(self._kept):
            self._kept = np.concatenate([self._kept, np.empty_like(self._kept)])
        self._kept[len(self._names)] = unit
        self._names.append(name)


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32] | None:
    # In float64, where the square of no float32 is infinite or zero.
    exact = np.asarray(vector, np.float64)
    norm = float(np.linalg.norm(exact))
    return (exact / norm).astype(np.float32) if norm > 0 and np.isfinite(norm) else None
