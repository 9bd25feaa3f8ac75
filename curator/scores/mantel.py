"""Mantel's permutation test in closed form: whether things near in the text are also alike.

Source: N. Mantel, The detection of disease clustering and a generalized regression approach, Cancer Research 27
(1967) 209-220: mean and variance of sum(W * S) over all n! joint orders of the rows and columns of S.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Excess:
    """A sum over the pairs of things in their order, beside what all their orders give.

    Attributes:
        value: the sum less its mean over all orders.
        variance: of the sum over all orders; 0.0 where every order gives the same.
    """

    value: float
    variance: float

    @property
    def z(self) -> float:
        """Standard deviations above the mean over all orders; 0.0 where every order gives the same sum."""
        return self.value / math.sqrt(self.variance) if self.variance > 0 else 0.0

    def __add__(self, other: Excess) -> Excess:
        """The excess of two sums that are uncorrelated over all orders."""
        return Excess(self.value + other.value, self.variance + other.variance)


def mantel(weights: Matrix, values: Matrix) -> Excess:
    """Sum of weights * values over all pairs.

    Args:
        weights: symmetric [n, n], n >= 4; the diagonal is ignored.
        values: symmetric [n, n]; the diagonal is ignored.
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
    return Excess(statistic - expected, variance) if variance > 1e-12 * a2 else Excess(0.0, 0.0)


def directed(weights: Matrix, values: Matrix) -> Excess:
    """Sum of weights * values over all pairs, where both say which of two is before the other.

    The mean over all orders is 0: reading an order backwards turns the sign. For the same reason the sum is
    uncorrelated with ``mantel``'s over any weights that are the same read backwards. Its variance comes down to::

        Var = 2 w2 v2 / (n (n - 1)) + 4 (w3 - w2) (v3 - v2) / (n (n - 1) (n - 2))
        w2 = sum of Wij ** 2, w3 = sum of (sum of Wij over j) ** 2 over i, v2 and v3 likewise

    Args:
        weights: antisymmetric [n, n], n >= 3.
        values: antisymmetric [n, n].
    """
    n = len(weights)
    _, w2, w3 = _moments(weights)
    _, v2, v3 = _moments(values)
    variance = 2 * w2 * v2 / (n * (n - 1)) + 4 * (w3 - w2) * (v3 - v2) / (n * (n - 1) * (n - 2))
    return Excess(float((weights * values).sum()), variance) if variance > 1e-12 * w2 else Excess(0.0, 0.0)


def decay_kernel(n: int, decay: float) -> Matrix:
    """Weights exp(-(|i - j| - 1) / decay) of the pairs of n places [n, n]; 0 on the diagonal."""
    places = np.arange(n)
    distance = np.abs(places[:, None] - places[None, :])
    kernel: Matrix = np.exp(-(distance - 1) / decay)
    return _without_diagonal(kernel)


def forward_kernel(n: int, decay: float) -> Matrix:
    """``decay_kernel`` with the sign of j - i: positive where the first of a pair is before the second."""
    places = np.arange(n)
    kernel: Matrix = decay_kernel(n, decay) * np.sign(places[None, :] - places[:, None])
    return kernel


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
    return centred_and_sd(values)[0]


def centred_and_sd(values: Matrix) -> tuple[Matrix, float]:
    """``double_centred``, and the standard deviation of what was left before it was scaled to 1."""
    n = len(values)
    values = _without_diagonal(values)
    rows = values.sum(axis=1) / (n - 2)
    left = _without_diagonal(values - rows[:, None] - rows[None, :] + values.sum() / ((n - 1) * (n - 2)))
    sd = math.sqrt(float((left**2).sum()) / (n * (n - 1)))
    # Rounding noise of equal sentences is no likeness.
    return (left / sd, sd) if sd > 1e-6 else (np.zeros_like(left), 0.0)


def _without_diagonal(matrix: Matrix) -> Matrix:
    copy = matrix.copy()
    np.fill_diagonal(copy, 0.0)
    return copy


def _moments(matrix: Matrix) -> tuple[float, float, float]:
    return float(matrix.sum()), float((matrix**2).sum()), float((matrix.sum(axis=1) ** 2).sum())
