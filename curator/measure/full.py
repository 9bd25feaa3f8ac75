"""Divergences of two distributions over the whole vocabulary, one number a token, in float64.

A value that is not a number is refused, and a probability of zero counts as ``LOWEST``, as in sparse.py. Computed
on the GPU where there is one, as the models are: of 262,144 ids a CPU takes longer for this than for the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from curator._errors import InputError
from curator.measure.sparse import LOWEST

Float64Array = NDArray[np.float64]
# Some rows at a time: the GPU may be full of the model, and a processor's cache holds few, over which this goes
# some twenty times.
_GPU_ROWS, _CPU_VALUES = 32, 1 << 16
# Added, it changes no probability that counts, and has a logarithm where 0 has none.
_TINY = float(np.finfo(np.float64).tiny)


def divergences(reference: NDArray[np.float32], candidate: NDArray[np.float32]) -> dict[str, Float64Array]:
    """Compare logits row by row.

    Args:
        reference: float32 [N, V], the BF16 model's logits.
        candidate: float32 [N, V].

    Raises:
        InputError: the vocabularies differ in size, or a logit is not a number.

    Returns:
        Arrays of N: ``kl`` = KL(reference || candidate) in nats; ``js``, the Jensen-Shannon divergence in
        nats; ``cosine`` of the probability vectors; ``top1``, 1.0 where the most likely ids agree.
    """
    if reference.shape != candidate.shape:
        raise InputError(
            f"logits of shape {candidate.shape} against {reference.shape}: the models have other vocabularies"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    width = reference.shape[-1]
    # A prompt without scored tokens has arrays too.
    count = max(min(_GPU_ROWS if device == "cuda" else _CPU_VALUES // max(width, 1), len(reference)), 1)
    p, q = _Side("baseline", count, width, device), _Side("candidate", count, width, device)
    found = [
        _of_rows(p.of(reference[at : at + count], at), q.of(candidate[at : at + count], at))
        for at in range(0, max(len(reference), 1), count)
    ]
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


@dataclass(frozen=True, slots=True)
class _Rows:
    """Distributions of some tokens.

    Attributes:
        log: log-probabilities, float64 [N, V].
        p: probabilities, float64 [N, V].
        likeliest: ids [N].
    """

    log: Tensor
    p: Tensor
    likeliest: Tensor


class _Side:
    """One model's distributions, some rows after another in the same memory.

    Memory that is new to a process costs a CPU as much again as what is done in it.

    Args:
        whose: the model, for the word on what is no number.
        count: rows at most.
        width: of the vocabulary.
        device: where they are computed.
    """

    def __init__(self, whose: str, count: int, width: int, device: str) -> None:
        self._whose, self._device = whose, device
        self._given = np.empty((count, width), np.float32)
        self._log, self._p = (torch.empty(count, width, dtype=torch.float64, device=device) for _ in range(2))

    def of(self, logits: NDArray[np.float32], start: int) -> _Rows:
        """The distributions of logits [N, V]; gone when the next are asked for."""
        log, p = self._log[: len(logits)], self._p[: len(logits)]
        if not logits.flags.writeable:
            # A stored reference is mapped read-only, which torch warns about.
            given = self._given[: len(logits)]
            np.copyto(given, logits)
            logits = given
        here = torch.from_numpy(logits).to(self._device)
        highest, likeliest = here.max(dim=-1, keepdim=True)
        torch.exp(log.copy_(here).sub_(highest), out=p)
        total = p.sum(-1, keepdim=True)
        # One logit that is not a number makes its whole row so.
        broken = torch.isnan(total[:, 0])
        if broken.any():
            place = start + int(broken.nonzero()[0])
            raise InputError(
                f"a logit of the {self._whose} at scored token {place} is not a number; that model is broken"
            )
        return _Rows(log.sub_(total.log()).clamp_(min=LOWEST), p.div_(total), likeliest[:, 0])


def _of_rows(p: _Rows, q: _Rows) -> dict[str, Float64Array]:
    """The numbers of some rows; their memory is used up."""
    # Sums of products over the vocabulary, without a temporary of its size for each: scoring spends its time here.
    # JS = H(mixture) - (H(p) + H(q)) / 2; where a probability underflows to 0 its term is 0.
    entropy_p = _dot(p.p, p.log)
    negative_entropies = entropy_p + _dot(q.p, q.log)
    values = {
        # Rounding can leave -1e-16 for equal distributions; neither can be negative.
        "kl": (entropy_p - _dot(p.p, q.log)).clamp_(min=0),
        "cosine": _dot(p.p, q.p) / (_dot(p.p, p.p) * _dot(q.p, q.p)).sqrt(),
        "top1": (p.likeliest == q.likeliest).double(),
    }
    mixture = p.p.add_(q.p).mul_(0.5).add_(_TINY)
    values["js"] = (negative_entropies / 2 - _dot(mixture, torch.log(mixture, out=q.log))).clamp_(min=0)
    return {name: value.cpu().numpy() for name, value in values.items()}


def kl_rows(reference: Tensor, candidate: Tensor) -> Tensor:
    """KL(reference || candidate) of logits [N, V] row by row, in nats: float64 [N], where the logits are."""
    log_p, log_q = (torch.log_softmax(logits.double(), dim=-1) for logits in (reference, candidate))
    p = log_p.exp()
    return (_dot(p, log_p) - _dot(p, log_q)).clamp_(min=0)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner products of the rows of two matrices."""
    return torch.einsum("nv,nv->n", a, b)
