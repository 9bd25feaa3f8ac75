"""Divergences of two distributions over the whole vocabulary, one number a token, in float64."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from curator._errors import InputError

Float64Array = NDArray[np.float64]


def divergences(reference: NDArray[np.float32], candidate: NDArray[np.float32]) -> dict[str, Float64Array]:
    """Compare logits row by row.

    Args:
        reference: float32 [N, V], the BF16 model's logits.
        candidate: float32 [N, V].

    Raises:
        InputError: the vocabularies differ in size.

    Returns:
        Arrays of N: ``kl`` = KL(reference || candidate) in nats; ``js``, the Jensen-Shannon divergence in
        nats; ``cosine`` of the probability vectors; ``top1``, 1.0 where the most likely ids agree.
    """
    if reference.shape != candidate.shape:
        raise InputError(
            f"logits of shape {candidate.shape} against {reference.shape}: the models have other vocabularies"
        )
    # Copies: a stored reference is mapped read-only, which torch warns about.
    log_p = torch.log_softmax(torch.from_numpy(np.array(reference, dtype=np.float64)), dim=-1)
    log_q = torch.log_softmax(torch.from_numpy(np.array(candidate, dtype=np.float64)), dim=-1)
    p, q = log_p.exp(), log_q.exp()
    # logaddexp keeps what a mixture's logarithm would lose where both probabilities are tiny.
    log_m = torch.logaddexp(log_p, log_q) - np.log(2.0)
    return {
        # Rounding can leave -1e-17 for equal distributions; KL cannot be negative.
        "kl": (p * (log_p - log_q)).sum(-1).clamp_(min=0).numpy(),
        "js": (0.5 * ((p * (log_p - log_m)).sum(-1) + (q * (log_q - log_m)).sum(-1))).clamp_(min=0).numpy(),
        "cosine": torch.nn.functional.cosine_similarity(p, q, dim=-1).numpy(),
        "top1": (log_p.argmax(-1) == log_q.argmax(-1)).double().numpy(),
    }
