"""Estimates from lists against the value over the whole vocabulary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from curator.measure.full import divergences
from curator.measure.sparse import sparse_divergences

LENGTHS = (64, 128, 256, 512, 1024)
ESTIMATES = ("union", "lumped", "uniform")


@dataclass
class Comparison:
    """One candidate on one vocabulary.

    Attributes:
        exact: mean KL over the whole vocabulary, by prompt.
        estimates: the same from lists, by length and estimate.
        masses: probability in the reference's lists, by length, of every token.
        below: tokens at which the lumped value was above the exact one by more than rounding.
    """

    exact: list[float] = field(default_factory=list)
    estimates: dict[int, dict[str, list[float]]] = field(
        default_factory=lambda: {k: {name: [] for name in ESTIMATES} for k in LENGTHS}
    )
    masses: dict[int, list[float]] = field(default_factory=lambda: {k: [] for k in LENGTHS})
    below: int = 0

    def add(self, reference: NDArray[np.float32], candidate: NDArray[np.float32]) -> None:
        """One prompt's logits [N, V]."""
        exact = divergences(reference, candidate)["kl"]
        self.exact.append(float(exact.mean()))
        p, q = _lists(reference), _lists(candidate)
        for k in LENGTHS:
            found = sparse_divergences(p[0][:, :k], p[1][:, :k], q[0][:, :k], q[1][:, :k], reference.shape[1])
            for name in ESTIMATES:
                self.estimates[k][name].append(float(found[name].mean()))
            self.masses[k] += np.exp(p[1][:, :k].astype(np.float64)).sum(axis=1).tolist()
            self.below += int((found["lumped"] > exact + 1e-5).sum())

    def summary(self) -> dict[str, Any]:
        """Bias of the mean as a share of it, the worst prompt's error in nats, correlation over prompts."""
        exact = np.array(self.exact)
        rows: dict[str, Any] = {}
        for k in LENGTHS:
            rows[str(k)] = {"mass": float(np.mean(self.masses[k])), "least_mass": float(np.min(self.masses[k]))}
            for name in ESTIMATES:
                values = np.array(self.estimates[k][name])
                rows[str(k)][name] = {
                    "bias": float(values.mean() / exact.mean() - 1),
                    "worst_prompt": float(np.abs(values - exact).max()),
                    "correlation": float(np.corrcoef(values, exact)[0, 1]),
                }
        return {"kl": float(exact.mean()), "bound_broken": self.below, "by_k": rows}


def paired(one: Comparison, other: Comparison) -> dict[str, Any]:
    """Difference of two candidates' mean KL, and by length and estimate its bias as a share of its standard error.

    The standard error is that over prompts of the exact differences.
    """
    exact = np.array(one.exact) - np.array(other.exact)
    error = float(exact.std(ddof=1) / np.sqrt(len(exact)))
    by_k = {
        str(k): {
            name: float(np.mean(np.subtract(one.estimates[k][name], other.estimates[k][name]) - exact)) / error
            for name in ESTIMATES
        }
        for k in LENGTHS
    }
    return {"difference": float(exact.mean()), "se": error, "bias_over_se": by_k}


def _lists(logits: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    logprobs = log_softmax(logits.astype(np.float64), axis=-1)
    most = max(LENGTHS)
    ids = np.argpartition(-logprobs, most, axis=-1)[:, :most]
    order = np.argsort(-np.take_along_axis(logprobs, ids, -1), axis=-1, kind="stable")
    ids = np.take_along_axis(ids, order, -1)
    return ids.astype(np.int32), np.take_along_axis(logprobs, ids, -1).astype(np.float32)
