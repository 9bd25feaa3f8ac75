"""Rows as what transformers models take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.adapters.batches import Rows, equal_length_batches

if TYPE_CHECKING:
    import torch


def tensor_batches(rows: Rows, batch_size: int) -> list[dict[str, torch.Tensor]]:
    """``input_ids`` and an ``attention_mask`` of ones, both int64 ``[batch, tokens]``, in the set's order.

    Raises:
        InputError: ``batch_size`` is not positive.
    """
    import torch

    batches = [torch.tensor(batch, dtype=torch.long) for batch in equal_length_batches(rows, batch_size)]
    return [{"input_ids": ids, "attention_mask": torch.ones_like(ids)} for ids in batches]
