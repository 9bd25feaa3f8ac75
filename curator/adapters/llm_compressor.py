"""llm-compressor's ``oneshot``.

Called with a dataset of ids, it shuffles without a seed; without the shuffle it takes the longest rows first, and
batches of more than one row are cut to their shortest (or padded). A finished DataLoader it takes as it is.
"""

from __future__ import annotations

from typing import Any

from curator.adapters.batches import Rows, check_fits
from curator.adapters.tensors import tensor_batches


def oneshot_arguments(rows: Rows, model: Any, batch_size: int = 1) -> dict[str, Any]:
    """Keyword arguments for ``oneshot(model=model, recipe=recipe, **arguments)``.

    Args:
        rows: token ids, one list a sequence.
        model: the model that will be quantised.
        batch_size: rows of equal length, next to each other, that go through the model together.

    Returns:
        ``{"dataset", "num_calibration_samples", "max_seq_length"}``: a DataLoader of ready batches, and the
        limits that llm-compressor would otherwise set itself.

    Raises:
        InputError: the model does not take these rows.
    """
    from torch.utils.data import DataLoader

    check_fits(rows, model)
    # batch_size=None: each item is a batch already, and is passed on unchanged and in order.
    loader: Any = DataLoader(tensor_batches(rows, batch_size), batch_size=None)  # type: ignore[arg-type]
    return {
        "dataset": loader,
        "num_calibration_samples": len(rows),
        "max_seq_length": max(len(row) for row in rows),
    }
