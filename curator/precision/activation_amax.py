"""How large the inputs of linear layers become on a calibration set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from curator._progress import Advance
from curator.adapters.batches import check_fits
from curator.precision.parts import Layout


def spread_rows(rows: Sequence[Sequence[int]], count: int) -> list[list[int]]:
    """At most ``count`` rows of a set, evenly over it: its tasks may follow one another."""
    count = min(count, len(rows))
    return [list(rows[(2 * at + 1) * len(rows) // (2 * count)]) for at in range(count)]


@torch.inference_mode()
def activation_amax(
    model: Any, layout: Layout, rows: Sequence[Sequence[int]], advance: Advance
) -> dict[str, float]:
    """The largest magnitude that each linear layer is given; of all that servers merge, the same.

    Args:
        model: the BF16 model.
        layout: its linear layers.
        rows: token ids, each run alone.
        advance: called with the number of rows done since the last call.

    Returns:
        0 for a layer that no row reached, such as an expert.

    Raises:
        InputError: the rows are not for this model.
    """
    check_fits(rows, model)
    largest: dict[str, Tensor] = {}
    handles = [module.register_forward_pre_hook(_record(largest, name)) for name, module in layout.linears.items()]
    device = next(model.parameters()).device
    try:
        for row in rows:
            model(input_ids=torch.tensor([list(row)], device=device), logits_to_keep=1, use_cache=False)
            advance(1)
    finally:
        for handle in handles:
            handle.remove()
    own = {name: float(largest[name]) if name in largest else 0.0 for name in layout.linears}
    return {name: max(own[one] for one in layout.merged[name]) for name in own}


def _record(largest: dict[str, Tensor], name: str) -> Callable[[nn.Module, tuple[Any, ...]], None]:
    def before(_module: nn.Module, arguments: tuple[Any, ...]) -> None:
        found = arguments[0].abs().amax().float() if arguments[0].numel() else None
        if found is not None:
            largest[name] = torch.maximum(largest[name], found) if name in largest else found

    return before
