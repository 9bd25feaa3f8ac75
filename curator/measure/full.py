"""Divergences of two distributions over the whole vocabulary, one number a token, in float64.

A value that is not a number is refused, and a probability of zero counts as ``LOWEST``, as in sparse.py. Computed
on the GPU where there is one, as the models are: of 262,144 ids a CPU takes longer for this than for the model.
"""

from __future__ import annotations

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
    rows = _GPU_ROWS if device == "cuda" else max(_CPU_VALUES // max(reference.shape[-1], 1), 1)
    found = [
        _of_rows(reference[at : at + rows], candidate[at : at + rows], at, device)
        # A prompt without scored tokens has arrays too.
        for at in range(0, max(len(reference), 1), rows)
    ]
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def _of_rows(
    reference: NDArray[np.float32], candidate: NDArray[np.float32], start: int, device: str
) -> dict[str, Float64Array]:
    log_p, p, likeliest_p = _distribution(reference, "baseline", start, device)
    log_q, q, likeliest_q = _distribution(candidate, "candidate", start, device)
    # Sums of products over the vocabulary, without a temporary of its size for each: scoring spends its time here.
    # JS = H(mixture) - (H(p) + H(q)) / 2; where a probability underflows to 0 its term is 0.
    entropy_p = _dot(p, log_p)
    negative_entropies = entropy_p + _dot(q, log_q)
    values = {
        # Rounding can leave -1e-16 for equal distributions; neither can be negative.
        "kl": (entropy_p - _dot(p, log_q)).clamp_(min=0),
        "cosine": _dot(p, q) / (_dot(p, p) * _dot(q, q)).sqrt(),
        "top1": (likeliest_p == likeliest_q).double(),
    }
    mixture = p.add_(q).div_(2)
    values["js"] = (negative_entropies / 2 - torch.special.xlogy(mixture, mixture).sum(-1)).clamp_(min=0)
    return {name: value.cpu().numpy() for name, value in values.items()}


def _distribution(
    logits: NDArray[np.float32], whose: str, start: int, device: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Log-probabilities, probabilities [N, V], both float64, and the likeliest ids [N]."""
    # A copy: a stored reference is mapped read-only, which torch warns about.
    given = torch.from_numpy(np.array(logits)).to(device)
    highest, likeliest = given.max(dim=-1, keepdim=True)
    values = given.double().sub_(highest)
    p = values.exp()
    total = p.sum(-1, keepdim=True)
    # One logit that is not a number makes its whole row so.
    broken = torch.isnan(total[:, 0])
    if broken.any():
        raise InputError(
            f"a logit of the {whose} at scored token {start + int(broken.nonzero()[0])} is not a number; "
            "that model is broken"
        )
    return values.sub_(total.log()).clamp_(min=LOWEST), p.div_(total), likeliest[:, 0]


def kl_rows(reference: Tensor, candidate: Tensor) -> Tensor:
    """KL(reference || candidate) of logits [N, V] row by row, in nats: float64 [N], where the logits are."""
    log_p, log_q = (torch.log_softmax(logits.double(), dim=-1) for logits in (reference, candidate))
    p = log_p.exp()
    return (_dot(p, log_p) - _dot(p, log_q)).clamp_(min=0)


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """Inner products of the rows of two matrices."""
    return torch.einsum("nv,nv->n", a, b)
