"""AutoRound.

Given a list of texts or its default data set, it tokenises again, cuts at ``seqlen`` (2048) and leaves out what is
shorter; given tensors, it leaves out those shorter than ``seqlen`` and stops after ``nsamples`` (128).
"""

from __future__ import annotations

from typing import Any

from curator.adapters.batches import Rows, check_batch_size, check_fits
from curator.adapters.tensors import tensor_batches


def auto_round_arguments(rows: Rows, model: Any, batch_size: int = 8) -> dict[str, Any]:
    """Keyword arguments for ``AutoRound(model, tokenizer, scheme=..., **arguments)``.

    Each row goes through the model alone, since rows of a batch must be equally long; a step still learns from
    ``batch_size`` rows, whose gradients are added up.

    Args:
        rows: token ids, one list a sequence.
        model: the model that will be quantised.
        batch_size: rows a step.

    Raises:
        InputError: the model does not take these rows, or ``batch_size`` is not positive.
    """
    check_fits(rows, model)
    check_batch_size(batch_size)
    return {
        "dataset": tensor_batches(rows, 1),
        # The length below which rows are left out. Tensors are not cut at it.
        "seqlen": min(len(row) for row in rows),
        "nsamples": len(rows),
        "batch_size": 1,
        "gradient_accumulate_steps": min(batch_size, len(rows)),
    }
