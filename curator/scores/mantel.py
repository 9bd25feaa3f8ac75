"""Mantel's permutation test in closed form: whether things near in the text are also alike.

Source: N. Mantel, The detection of disease clustering and a generalized regression approach, Cancer Research 27
(1967) 209-220: mean and variance of sum(W * S) over all n! joint orders of the rows and columns of S.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def mantel_z(weights: Matrix, values: Matrix) -> float:
    """Standard deviations of sum(weights * values) above its mean over all orders of ``values``.

    Args:
        weights: symmetric [n, n], n >= 4; the diagonal is ignored.
        values: symmetric [n, n]; the diagonal is ignored.

    Returns:
        The z; 0.0 where every order gives the same sum.
    """
    n = len(weights)
    weights, values = _without_diagonal(weights), _without_diagonal(values)
    # Moments are differences of large numbers: without the mean in them less is lost.
    values -= values.sum() / (n * (n - 1))
    values = _without_diagonal(values)
    statistic = float((weights * values).sum())
    a1, a2, a3 = _moments(weights)
    b1, b2, b3 = _moments(values)
    expected = a1 * b1 / (n * (n - 1))
    square = (
        2 * a2 * b2 / (n * (n - 1))
        + 4 * (a3 - a2) * (b3 - b2) / (n * (n - 1) * (n - 2))
        + (a1**2 + 2 * a2 - 4 * a3) * (b1**2 + 2 * b2 - 4 * b3) / (n * (n - 1) * (n - 2) * (n - 3))
    )
    variance = square - expected**2
    # Equal sentences leave rounding noise for a variance.
    if variance <= 1e-12 * a2:
        return 0.0
    return (statistic - expected) / math.sqrt(variance)


def decay_kernel(n: int, decay: float) -> Matrix:
    """Weights exp(-(|i - j| - 1) / decay) of the pairs of n places [n, n]; 0 on the diagonal."""
    places = np.arange(n)
    distance = np.abs(places[:, None] - places[None, :])
    kernel: Matrix = np.exp(-(distance - 1) / decay)
    return _without_diagonal(kernel)


def cosines(vectors: NDArray[np.floating]) -> Matrix:
    """Cosines [n, n] of vectors [n, d]; a zero vector has cosine 0.0 with everything, itself too."""
    wide = vectors.astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    unit = np.divide(wide, norms, out=np.zeros_like(wide), where=norms > 1e-9)
    result: Matrix = unit @ unit.T
    return result


def double_centred(values: Matrix) -> Matrix:
    """Likenesses of n >= 4 things without what each has with all others, scaled to a standard deviation of 1.

    From each pair the mean likeness of its two members to the others is taken off, so that a sentence like none,
    or like all, moves nothing; afterwards every row has the sum 0. Where nothing is left (all alike), zeros.
    """
    n = len(values)
    values = _without_diagonal(values)
    rows = values.sum(axis=1) / (n - 2)
    left = _without_diagonal(values - rows[:, None] - rows[None, :] + values.sum() / ((n - 1) * (n - 2)))
    scale = math.sqrt(float((left**2).sum()) / (n * (n - 1)))
    # Rounding noise of equal sentences is no likeness.
    return left / scale if scale > 1e-6 else np.zeros_like(left)


def _without_diagonal(matrix: Matrix) -> Matrix:
    copy = matrix.copy()
    np.fill_diagonal(copy, 0.0)
    return copy


def _moments(matrix: Matrix) -> tuple[float, float, float]:
    return float(matrix.sum()), float((matrix**2).sum()), float((matrix.sum(axis=1) ** 2).sum())
