"""What a candidate changes in the ids that a list leaves out, told from those that it holds.

Between two checkpoints of one model the change of a logprob, ``log q - log p``, scatters much alike over all but
the likeliest ids, nearly normally: from rank 64 to rank 16,000 its variance is equal to 12 % (SmolLM2) or grows
by a quarter (Gemma3-270M), and KL within a band of ranks is half of it to 4 % (KL from 0.01 to 0.3). So the lower
three quarters of the reference's list tell mean and variance for what is below. An id that the candidate does not
list is known to be under its list's last: a censored value, with which the fit stays unbiased (Tobin 1958;
expectation-maximisation). What that comes to: scripts/bench_kl_lists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Float64Array = NDArray[np.float64]

MIN_SEEN = 8
"""Changes seen in a row from which its scatter is fitted."""
MIN_SHARE = 1 / 8
"""And as a share of those looked for: the few ids that unrelated lists have in common tell nothing of others."""
_STEPS = 30
_LIKELIEST = 4  # the first of so many parts of a list scatters less: its probabilities are bound by their sum
_SDS = (1e-4, 20.0)  # nats; below is the rounding of stored logprobs
_ROOT_2 = math.sqrt(2)


@dataclass(frozen=True, slots=True)
class Change:
    """Normal change of unlisted logprobs, by row.

    Attributes:
        mean: [N], nats.
        variance: [N], nats squared.
        fitted: bool [N], enough changes were seen; otherwise mean and variance are 0 and say nothing.
    """

    mean: Float64Array
    variance: Float64Array
    fitted: NDArray[np.bool_]

    @property
    def sd(self) -> Float64Array:
        """[N], nats, within what can be computed with."""
        return np.clip(np.sqrt(self.variance), *_SDS)

    def below(
        self, rows: NDArray[np.intp], logprobs: Float64Array, last: Float64Array
    ) -> tuple[Float64Array, Float64Array]:
        """Expected logprob and probability of single ids that are under the candidate's last.

        Args:
            rows: [M] the row of each id.
            logprobs: [M] the reference's.
            last: [M] the least of the candidate's list.
        """
        mean, sd = logprobs + self.mean[rows], self.sd[rows]
        z = (last - mean) / sd
        near = np.exp(last) * special.erfcx((sd - np.minimum(z, 0)) / _ROOT_2)
        near /= special.erfcx(-np.minimum(z, 0) / _ROOT_2)
        over = np.maximum(z, 0)
        far = np.exp(np.minimum(mean + sd**2 / 2, 0.0)) * special.ndtr(over - sd) / special.ndtr(over)
        return mean - sd * _mills(z), np.minimum(np.where(z < 0, near, far), np.exp(last))

    def kl_within(self, ids: NDArray[np.int64]) -> Float64Array:
        """KL between both models' distributions within so many unlisted ids [N].

        Half the variance for a normal change (log E e^x - E x). With few ids the largest of n draws caps the
        first term (Derrida 1981): beyond a standard deviation of sqrt(2 ln n) it grows in a straight line.
        """
        most = np.sqrt(2 * np.log(np.maximum(ids, 1)))
        sd = np.minimum(np.sqrt(self.variance), _SDS[1])
        straight: Float64Array = sd * most - most**2 / 2
        return np.where(sd <= most, sd**2 / 2, straight)


def fit_change(changes: Float64Array, seen: NDArray[np.bool_], ceilings: Float64Array) -> Change:
    """Fit each row.

    Args:
        changes: [N, K] the candidate's logprob less the reference's, by rank; read where ``seen``.
        seen: bool [N, K], the candidate lists the id.
        ceilings: [N, K] what the change is under where it is not; -inf leaves an id out.
    """
    lower = np.arange(changes.shape[1]) >= changes.shape[1] // _LIKELIEST
    seen = seen & lower
    rows, columns = np.nonzero(~seen & lower & (ceilings > -np.inf))
    over = ceilings[rows, columns]
    number = seen.sum(axis=1)
    count = np.maximum(number + np.bincount(rows, minlength=len(seen)), 2)
    fitted = (number >= MIN_SEEN) & (number >= MIN_SHARE * count)
    values = np.where(seen, changes, 0.0)
    first, second = values.sum(axis=1), (values**2).sum(axis=1)
    mean = first / np.maximum(number, 1)
    variance = np.maximum(second / np.maximum(number, 1) - mean**2, 0.0)
    for _ in range(_STEPS if len(rows) else 0):
        sd = np.clip(np.sqrt(variance), *_SDS)[rows]
        z = (over - mean[rows]) / sd
        mills = _mills(z)
        expected = mean[rows] - sd * mills
        # E x² = variance (1 - z mills) + 2 mean E x - mean²; the first is the mean square about the mean.
        square = np.maximum(sd**2 * (1 - z * mills), 0.0) + (2 * expected - mean[rows]) * mean[rows]
        mean = (first + np.bincount(rows, expected, len(seen))) / count
        variance = np.maximum((second + np.bincount(rows, square, len(seen))) / count - mean**2, 0.0)
    return Change(np.where(fitted, mean, 0.0), np.where(fitted, variance * count / (count - 1), 0.0), fitted)


def _mills(z: Float64Array) -> Float64Array:
    """Density over probability of a standard normal value below z; without loss far out."""
    ratio: Float64Array = math.sqrt(2 / math.pi) / special.erfcx(-z / _ROOT_2)
    return ratio
