"""NVIDIA ModelOpt's ``mtq.quantize``.

It calibrates on whatever its ``forward_loop`` runs. The loop that its examples make takes texts: it tokenises
them again, cuts at ``max_sample_length`` and pads every row on the left to the longest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curator.adapters.batches import Rows, check_fits
from curator.adapters.tensors import tensor_batches


def forward_loop(rows: Rows, batch_size: int = 1) -> Callable[[Any], None]:
    """The ``forward_loop`` of ``mtq.quantize(model, config, forward_loop)``; it may be run many times.

    Args:
        rows: token ids, one list a sequence.
        batch_size: rows of equal length, next to each other, that go through the model together.

    Returns:
        A function that runs every row through the model that it is given, in order.

    Raises:
        InputError: by that function, when the model does not take these rows.
    """

    def run(model: Any) -> None:
        import torch

        check_fits(rows, model)
        device = next(model.parameters()).device
        with torch.no_grad():
            for batch in tensor_batches(rows, batch_size):
                model(**{name: tensor.to(device) for name, tensor in batch.items()}, use_cache=False)

    return run
