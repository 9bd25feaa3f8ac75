"""Faults that only decoding has: what a step writes into the KV cache is wrong, a prefill is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor


@contextmanager
def fp8_cache_with_wrong_scale(model: Any, scale: float) -> Iterator[None]:
    """Keys and values of decode steps are stored in FP8 under a scale that the model's values do not fit.

    Args:
        model: a Llama; a pass over one token a row is taken for a decode step.
        scale: values above 448 times this are clipped.
    """

    def stored(_module: Any, _inputs: Any, output: Tensor) -> Tensor:
        if output.shape[1] > 1:
            return output
        return ((output / scale).clamp(-448, 448).to(torch.float8_e4m3fn).to(output.dtype)) * scale

    attention = [module for module in model.modules() if hasattr(module, "k_proj")]
    hooks = [part.register_forward_hook(stored) for module in attention for part in (module.k_proj, module.v_proj)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
