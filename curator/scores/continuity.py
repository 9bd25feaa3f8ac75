"""Semantic continuity: whether neighbouring sentences belong together more than a text's sentences do at large.

A plain mean of adjacent cosines ranks lists of UUIDs above prose. Three things mend that: vectors centred
on the document; a permutation z over all orders of the sentences, so that one threshold serves every
length; and a band on the pair cosines, since junk is narrower than prose.

Source of the moments: Mantel, Cancer Research 27 (1967), the permutation test of two distance matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop

FloatMatrix = NDArray[np.floating]

MAX_SENTENCES = 32
# Below this the score's power is too low to refuse a text; it may still rank.
MIN_SENTENCES_TO_REJECT = 24
# One-sided 1 % of the null distribution.
AUTO_MIN = 2.33
MEAN_BAND = (0.11, 0.52)
SD_BAND = (0.105, 0.27)
_DECAY = 1.5


@dataclass(frozen=True, slots=True)
class ContinuityScore:
    """Continuity of one text.

    Attributes:
        z: standard deviations above the mean over all orders of the same sentences; 0.0 when undefined.
        mean: mean cosine over all pairs of sentences.
        sd: its standard deviation.
        sentences: number of sentences scored.
    """

    z: float
    mean: float
    sd: float
    sentences: int


def continuity(vectors: FloatMatrix) -> ContinuityScore:
    """Score sentence vectors [n, d] in the order of the text.

    Fewer than four sentences, or sentences that are all the same, give z = 0.0, never NaN.
    """
    count = len(vectors)
    if count < 4:
        return ContinuityScore(0.0, 0.0, 0.0, count)
    pairs = _cosines(vectors)[np.triu_indices(count, 1)]
    mean, sd = float(pairs.mean()), float(pairs.std())
    centred = _cosines(vectors - vectors.mean(axis=0))
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    kernel = np.exp(-(distance - 1) / _DECAY)
    return ContinuityScore(_mantel_z(kernel, centred), mean, sd, count)


def least_continuity(vectors: FloatMatrix) -> ContinuityScore:
    """The lowest score among windows of at most 32 sentences that together cover all.

    A text whose tail is rubbish is judged by its tail. Windows are of equal length and overlap where the
    number of sentences is no multiple.
    """
    count = len(vectors)
    windows = max(math.ceil(count / MAX_SENTENCES), 1)
    last = max(count - MAX_SENTENCES, 0)
    starts = [round(number * last / max(windows - 1, 1)) for number in range(windows)]
    scores = [continuity(vectors[start : start + MAX_SENTENCES]) for start in starts]
    return min(scores, key=lambda score: score.z)


def check_continuity(score: ContinuityScore, least: float) -> Drop | None:
    """Refuse a long enough text whose z is too low or whose pair cosines lie outside prose's band."""
    if score.sentences < MIN_SENTENCES_TO_REJECT:
        return None
    if score.z < least:
        return Drop("continuity", f"z {score.z:.2f}, below {least:g} over {score.sentences} sentences")
    inside = MEAN_BAND[0] < score.mean < MEAN_BAND[1] and SD_BAND[0] < score.sd < SD_BAND[1]
    if not inside:
        return Drop("continuity_band", f"pair cosines {score.mean:.2f} ± {score.sd:.2f} are not those of prose")
    return None


def _cosines(vectors: FloatMatrix) -> NDArray[np.float64]:
    vectors = vectors.astype(np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A zero vector has cosine 0 with everything.
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 1e-9)
    cosines: NDArray[np.float64] = unit @ unit.T
    return cosines


def _mantel_z(weights: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Z of sum(weights * values) over all joint orders of ``values``; both symmetric, diagonals ignored."""
    n = len(weights)
    weights, values = weights.copy(), values.copy()
    np.fill_diagonal(weights, 0.0)
    np.fill_diagonal(values, 0.0)
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
    return (statistic - expected) / float(np.sqrt(variance)) if variance > 1e-9 * max(square, 1e-9) else 0.0


def _moments(matrix: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(matrix.sum()), float((matrix**2).sum()), float((matrix.sum(axis=1) ** 2).sum())
