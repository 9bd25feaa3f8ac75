"""Batches that neither pad nor cut, and what a model can take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from curator._errors import InputError

Rows = Sequence[Sequence[int]]


def equal_length_batches(rows: Rows, size: int) -> Iterator[list[list[int]]]:
    """Neighbours of equal length, at most ``size`` together, in the set's order.

    A row whose neighbours have other lengths goes alone: padding would put ids into the calibration that the
    set does not have, and cutting would take some away.

    Raises:
        InputError: ``size`` is not positive.
    """
    check_batch_size(size)
    batch: list[list[int]] = []
    for row in rows:
        if batch and (len(batch) == size or len(row) != len(batch[0])):
            yield batch
            batch = []
        batch.append(list(row))
    if batch:
        yield batch


def check_batch_size(size: int) -> None:
    """Refuse a batch without rows.

    Raises:
        InputError: ``size`` is not positive.
    """
    if size < 1:
        raise InputError(f"batch_size is {size}; it must be at least 1")


def check_fits(rows: Rows, model: Any) -> None:
    """Refuse rows that this model does not take, before a library cuts them or its embedding fails on them.

    Args:
        rows: the set's token ids.
        model: anything with a transformers ``config``.

    Raises:
        InputError: no rows; an id beyond the vocabulary; a row longer than the model's positions.
    """
    if not rows:
        raise InputError("the set has no rows; build one with at least one sequence")
    config = getattr(model, "config", None)
    # Models of text and images keep the language model's numbers one level down.
    config = getattr(config, "text_config", None) or config
    vocabulary = getattr(config, "vocab_size", None)
    positions = getattr(config, "max_position_embeddings", None)
    for number, row in enumerate(rows, start=1):
        if vocabulary and max(row) >= vocabulary:
            raise InputError(
                f"row {number} of the set has token id {max(row)}, the model's vocabulary has {vocabulary}; "
                "build the set for this model"
            )
        if positions and len(row) > positions:
            raise InputError(
                f"row {number} of the set has {len(row)} tokens, the model takes {positions}; "
                "build the set with fewer tokens a sequence"
            )
