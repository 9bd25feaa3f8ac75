"""What turns logits into log-probabilities."""

from __future__ import annotations

import torch
from torch import Tensor


def log_normaliser(logits: Tensor) -> Tensor:
    """The logarithm of the sum of the exponentials of each row.

    Args:
        logits: [N, V].

    Returns:
        float64 [N, 1]; no finite number where a logit is none.
    """
    if logits.device.type != "cpu":
        return torch.logsumexp(logits.double(), dim=-1, keepdim=True)
    found = logits.new_empty((len(logits), 1), dtype=torch.float64)
    # Row by row in the same memory: a temporary of all rows costs several times what is computed in it.
    row = logits.new_empty(logits.shape[-1], dtype=torch.float64)
    for index, highest in enumerate(logits.amax(dim=-1).double()):
        found[index, 0] = row.copy_(logits[index]).sub_(highest).exp_().sum().log_().add_(highest)
    return found
