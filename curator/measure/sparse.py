"""KL from top-K lists, as a server gives them: an estimate, and a bound from below.

No finite upper bound exists: an id outside the candidate's list may have any small probability.

A value that is not a number is refused. A probability of zero (-inf, or the float32 minimum that servers give)
counts as ``LOWEST``, so that one masked token makes a large KL and not an infinite one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator._errors import InputError
from curator.measure.unlisted import Change, fit_change

Float64Array = NDArray[np.float64]
LOWEST = -1000.0
"""The least log-probability that counts, far below what a model gives. Smaller ones are taken for it."""
# Float32 logprobs sum to 1 within about 1e-6: a rest below that is noise, not mass.
_NOISE = 1e-6
# Bits for a place in two lists together.
_PLACE_BITS = 20
# What is left for the ids outside a list when its own sum reaches 1.
_LEAST_REST = 1e-9


def sparse_divergences(
    reference_ids: NDArray[np.int32],
    reference_logprobs: NDArray[np.float32],
    candidate_ids: NDArray[np.int32],
    candidate_logprobs: NDArray[np.float32],
    vocabulary: int,
) -> dict[str, Float64Array]:
    """Compare two top-K lists token by token.

    Args:
        reference_ids: int32 [N, K], most likely first, each id once.
        reference_logprobs: float32 [N, K], natural logarithm.
        candidate_ids: int32 [N, K'].
        candidate_logprobs: float32 [N, K'].
        vocabulary: number of ids.

    Returns:
        Arrays of N: ``union``, the estimate from both lists, in which ids that they leave out change as the
        lower listed ones do (unlisted.py), at least the bound and 0; ``lumped``, that lower bound (log-sum
        inequality: the ids in both lists, and one bucket for all else);
        ``uniform``, in which every id outside a list has the uniform share of its rest (biased by 11-45 %);
        ``cosine`` of the listed probabilities; ``top1``.

    Raises:
        InputError: a logprob is not a number.
    """
    p = _Lists.of(reference_ids, reference_logprobs, vocabulary, "baseline")
    q = _Lists.of(candidate_ids, candidate_logprobs, vocabulary, "candidate")
    rows, in_p, in_q = _shared(p, q)
    both = np.zeros(p.ids.shape, dtype=np.bool_)
    both[rows, in_p] = True
    only_q = np.ones(q.ids.shape, dtype=np.bool_)
    only_q[rows, in_q] = False
    q_on_p = np.full(p.ids.shape, LOWEST)
    q_on_p[rows, in_p] = q.logprobs[rows, in_q]
    probabilities = (np.exp(p.logprobs), np.exp(q.logprobs))
    pair = _Pair(p, q, q_on_p, both, only_q, *probabilities)
    lumped = np.maximum(pair.lumped(), 0.0)
    return {
        "union": np.maximum(pair.union(), lumped),
        "lumped": lumped,
        "uniform": np.maximum(pair.smoothed(), 0.0),
        "cosine": pair.cosine(),
        "top1": (p.ids[:, 0] == q.ids[:, 0]).astype(np.float64),
    }


def logprobs_of(logprobs: NDArray[np.float32], whose: str) -> Float64Array:
    """Logprobs [N, K] in float64, none below ``LOWEST``.

    Raises:
        InputError: one is not a number, or plus infinity; ``whose`` names the model.
    """
    broken = ~(logprobs < np.inf).all(axis=1)
    if broken.any():
        raise InputError(
            f"a logprob of the {whose} at scored token {int(np.flatnonzero(broken)[0])} is not a number; that "
            "model is broken"
        )
    return np.maximum(logprobs.astype(np.float64), LOWEST)


@dataclass(frozen=True, slots=True)
class _Lists:
    """One side's lists, and what its rest says about ids outside them.

    Attributes:
        ids: int64 [N, K].
        logprobs: float64 [N, K], none below ``LOWEST``.
        uniform: [N], logprob of an id outside the list if the rest is shared evenly.
        midpoint: [N], between that and the list's last.
        vocabulary: number of ids.
    """

    ids: NDArray[np.int64]
    logprobs: Float64Array
    uniform: Float64Array
    midpoint: Float64Array
    vocabulary: int

    @staticmethod
    def of(ids: NDArray[np.int32], logprobs: NDArray[np.float32], vocabulary: int, whose: str) -> _Lists:
        values = logprobs_of(logprobs, whose)
        rest = np.maximum(1.0 - np.exp(values).sum(axis=1), _LEAST_REST)
        uniform = np.log(rest / max(vocabulary - ids.shape[1], 1))
        last = values.min(axis=1)
        # An id outside the list is no likelier than the list's last.
        return _Lists(ids.astype(np.int64), values, uniform, np.minimum((last + uniform) / 2, last), vocabulary)


def _shared(p: _Lists, q: _Lists) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Ids in both lists: their rows, and their places in each list."""
    width = p.ids.shape[1]
    # Both lists of a row sorted as one, each id with its place: an id in both has its two entries side by side.
    places = np.arange(width + q.ids.shape[1], dtype=np.int64)
    together = np.sort((np.concatenate([p.ids, q.ids], axis=1) << _PLACE_BITS) | places, axis=1)
    ids, places_of = together >> _PLACE_BITS, together & (1 << _PLACE_BITS) - 1
    rows, columns = np.nonzero(ids[:, 1:] == ids[:, :-1])
    return rows, places_of[rows, columns], places_of[rows, columns + 1] - width


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two lists, and where they meet.

    Attributes:
        p: the reference's lists.
        q: the candidate's.
        q_on_p: float64 [N, K], the candidate's logprobs of the reference's ids where it lists them.
        both: bool [N, K], where it does.
        only_q: bool [N, K'], the candidate's ids that the reference does not list.
        p_listed: float64 [N, K], probabilities.
        q_listed: float64 [N, K'].
    """

    p: _Lists
    q: _Lists
    q_on_p: Float64Array
    both: NDArray[np.bool_]
    only_q: NDArray[np.bool_]
    p_listed: Float64Array
    q_listed: Float64Array

    def cosine(self) -> Float64Array:
        lengths: Float64Array = np.sqrt((self.p_listed**2).sum(axis=1) * (self.q_listed**2).sum(axis=1))
        products: Float64Array = np.where(self.both, self.p_listed * np.exp(self.q_on_p), 0.0).sum(axis=1)
        return products / lengths

    def lumped(self) -> Float64Array:
        ratio = self.p.logprobs - self.q_on_p
        terms: Float64Array = np.where(self.both, self.p_listed * ratio, 0.0).sum(axis=1)
        p_mass = np.where(self.both, self.p_listed, 0.0).sum(axis=1)
        return terms + _bucket(p_mass, np.where(self.both, np.exp(self.q_on_p), 0.0).sum(axis=1))

    def union(self) -> Float64Array:
        """The reference's list id by id; below it, one bucket and what changes within it."""
        last = self.q.logprobs.min(axis=1)
        change = self._change(last)
        rows, places = np.nonzero(~self.both)
        absent, mass = change.below(rows, self.p.logprobs[rows, places], last[rows])
        # A row with too little in common is far away, whatever its unlisted ids have.
        absent = np.where(change.fitted[rows], absent, self.q.midpoint[rows])
        mass = np.where(change.fitted[rows], mass, np.exp(self.q.midpoint[rows]))
        log_q = self.q_on_p.copy()
        log_q[rows, places] = absent
        terms: Float64Array = (self.p_listed * (self.p.logprobs - log_q)).sum(axis=1)
        only_q = np.where(self.only_q, self.q_listed, 0.0).sum(axis=1)
        q_mass = np.where(self.both, np.exp(self.q_on_p), 0.0).sum(axis=1)
        q_mass = np.minimum(q_mass + np.bincount(rows, mass, len(terms)), 1.0 - only_q)
        p_mass = self.p_listed.sum(axis=1)
        within: Float64Array = np.maximum(1.0 - p_mass, 0.0) * change.kl_within(self._outside())
        return terms + _bucket(p_mass, q_mass) + within

    def _change(self, last: Float64Array) -> Change:
        real = self.p.logprobs > LOWEST
        ceilings = np.where(real, last[:, None] - self.p.logprobs, -np.inf)
        seen = self.both & real & (self.q_on_p > LOWEST)
        # An id that the candidate rules out tells nothing of how the others scatter.
        ceilings[self.both & ~seen] = -np.inf
        return fit_change(self.q_on_p - self.p.logprobs, seen, ceilings)

    def smoothed(self) -> Float64Array:
        log_q = np.where(self.both, self.q_on_p, self.q.uniform[:, None])
        p_there = np.where(self.only_q, np.exp(self.p.uniform)[:, None], 0.0)
        terms: Float64Array = (self.p_listed * (self.p.logprobs - log_q)).sum(axis=1)
        terms = terms + (p_there * (self.p.uniform[:, None] - self.q.logprobs)).sum(axis=1)
        # Every id in neither list has both uniform shares.
        outside = self._outside() - self.only_q.sum(axis=1)
        rest: Float64Array = outside * np.exp(self.p.uniform) * (self.p.uniform - self.q.uniform)
        return terms + rest

    def _outside(self) -> NDArray[np.int64]:
        """[N], number of ids that the reference does not list."""
        return np.full(len(self.both), self.p.vocabulary - self.p.ids.shape[1], dtype=np.int64)


def _bucket(p_listed: Float64Array, q_listed: Float64Array) -> Float64Array:
    """The term of everything not listed, taken as one outcome."""
    p_rest, q_rest = 1.0 - p_listed, 1.0 - q_listed
    # Where only the reference's rest is noise, the term is negative and must stay, or the bound would not be one.
    known = (q_rest >= _NOISE) & (p_rest > 0)
    ratio = np.where(known, p_rest, 1.0) / np.where(known, q_rest, 1.0)
    return np.where(known, p_rest * np.log(ratio), 0.0)
