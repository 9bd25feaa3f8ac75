"""KL from top-K lists, as a server gives them: an estimate, and a bound from below.

No finite upper bound exists: an id outside the candidate's list may have any small probability.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64Array = NDArray[np.float64]
_TINY = 1e-300
_NOISE = 1e-6


def sparse_divergences(
    reference_ids: NDArray[np.int32],
    reference_logprobs: NDArray[np.float32],
    candidate_ids: NDArray[np.int32],
    candidate_logprobs: NDArray[np.float32],
    vocabulary: int,
) -> dict[str, Float64Array]:
    """Compare two top-K lists token by token.

    Args:
        reference_ids: int32 [N, K], most likely first.
        reference_logprobs: float32 [N, K], natural logarithm.
        candidate_ids: int32 [N, K'].
        candidate_logprobs: float32 [N, K'].
        vocabulary: number of ids.

    Returns:
        Arrays of N: ``union``, the estimate over the union of both lists, in which an id missing from a
        list takes the logarithmic midpoint of that list's last logprob and the uniform share of its rest;
        ``lumped``, a lower bound (log-sum inequality: the ids in both lists, and one bucket for all else);
        ``cosine`` of the listed probabilities; ``top1``.
    """
    rows = [
        _one(*row, vocabulary)
        for row in zip(reference_ids, reference_logprobs, candidate_ids, candidate_logprobs, strict=True)
    ]
    names = ("union", "lumped", "cosine", "top1")
    return {name: np.array([row[index] for row in rows]) for index, name in enumerate(names)}


def _one(
    p_ids: NDArray[np.int32],
    p_log: NDArray[np.float32],
    q_ids: NDArray[np.int32],
    q_log: NDArray[np.float32],
    vocabulary: int,
) -> tuple[float, float, float, float]:
    union = np.union1d(p_ids, q_ids)
    log_p, in_p = _spread(union, p_ids, p_log.astype(np.float64), vocabulary)
    log_q, in_q = _spread(union, q_ids, q_log.astype(np.float64), vocabulary)
    p, q = np.exp(log_p), np.exp(log_q)
    both = in_p & in_q
    estimate = float((p * (log_p - log_q)).sum()) + _bucket(p.sum(), q.sum())
    bound = float((p[both] * (log_p[both] - log_q[both])).sum()) + _bucket(p[both].sum(), q[both].sum())
    listed_p, listed_q = np.where(in_p, p, 0.0), np.where(in_q, q, 0.0)
    cosine = float(listed_p @ listed_q / (np.linalg.norm(listed_p) * np.linalg.norm(listed_q)))
    return max(estimate, 0.0), max(bound, 0.0), cosine, float(p_ids[0] == q_ids[0])


def _spread(
    union: NDArray[np.int32], ids: NDArray[np.int32], logprobs: Float64Array, vocabulary: int
) -> tuple[Float64Array, NDArray[np.bool_]]:
    """Logprobs on ``union`` and which of them are listed; the others take the logarithmic midpoint."""
    rest = max(1.0 - float(np.exp(logprobs).sum()), _TINY)
    uniform = np.log(rest / max(vocabulary - len(ids), 1))
    last = float(logprobs.min())
    spread = np.full(len(union), min((last + uniform) / 2, last))
    position = np.searchsorted(union, ids)
    spread[position] = logprobs
    listed = np.zeros(len(union), dtype=np.bool_)
    listed[position] = True
    return spread, listed


def _bucket(p_listed: float, q_listed: float) -> float:
    """The term of everything not listed, taken as one outcome."""
    p_rest, q_rest = 1.0 - p_listed, 1.0 - q_listed
    # Float32 logprobs sum to 1 within about 1e-6: a rest below that is noise, not mass. Where only the
    # reference's is, the term is negative and must stay, or the bound would not be one.
    if q_rest < _NOISE or p_rest <= 0:
        return 0.0
    return float(p_rest * np.log(p_rest / q_rest))
