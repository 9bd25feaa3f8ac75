"""A vocabulary three times as large, made from rows of a model with a smaller one.

A row's logprobs fall nearly along a line over log rank; the line through ranks 5,000 to 40,000 is continued to
151,936 ids. What a candidate changes in the new ids is drawn from what it changes in the row's own less likely
half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 151_936
_FIT = (5_000, 40_000)
Float64Array = NDArray[np.float64]


def widen(
    reference: NDArray[np.float32], candidate: NDArray[np.float32], seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits [N, V] of both models over the larger vocabulary."""
    generator = np.random.default_rng(seed)
    pairs = [_row(p, q, generator) for p, q in zip(reference, candidate, strict=True)]
    return np.stack([p for p, _ in pairs]), np.stack([q for _, q in pairs])


def _row(
    p: NDArray[np.float32], q: NDArray[np.float32], generator: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    order = np.argsort(-p)
    ranks = np.log(np.arange(1, VOCABULARY + 1))
    slope, start = np.polyfit(ranks[slice(*_FIT)], p[order][slice(*_FIT)].astype(np.float64), 1)
    tail = start + slope * ranks[len(p) :]
    change = (q - p)[order][len(p) // 2 :].astype(np.float64)
    drawn = generator.choice(change, len(tail))
    return (
        np.concatenate([p, tail]).astype(np.float32),
        np.concatenate([q, tail + drawn]).astype(np.float32),
    )
