"""GPTQModel's ``model.quantize``.

Called with rows of ids alone, it sorts them by length, drops those of 10 tokens or fewer, cuts at the model's
positions, and pads the shorter rows of a batch. A row that has ``text`` beside its ids is tokenised again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from curator.adapters.batches import Rows, check_fits, equal_length_batches

# What its data preparation drops by itself: rows of at most so many tokens.
_DROPPED = 10


def quantize_arguments(rows: Rows, model: Any, batch_size: int = 1) -> dict[str, Any]:
    """Keyword arguments for ``model.quantize(**arguments)``.

    Where a row is short, ``model.prepare_dataset`` is bound to a minimum length of 0 too: version 7.7 takes
    ``calibration_data_min_length`` and does not pass it on.

    Args:
        rows: token ids, one list a sequence.
        model: the loaded GPTQModel.
        batch_size: rows of equal length, next to each other, that go through the model together.

    Raises:
        InputError: the model does not take these rows; its data preparation would cut them.
    """
    check_fits(rows, model)
    if min(len(row) for row in rows) <= _DROPPED:
        model.prepare_dataset = partial(model.prepare_dataset, calibration_data_min_length=0)
    # An item may hold several rows; one item a batch then leaves nothing to pad.
    calibration = [
        {"input_ids": batch, "attention_mask": [[1] * len(row) for row in batch]}
        for batch in equal_length_batches(rows, batch_size)
    ]
    return {
        "calibration": calibration,
        "calibration_concat_size": None,
        "calibration_sort": None,
        "calibration_data_min_length": 0,
        "batch_size": 1,
    }
