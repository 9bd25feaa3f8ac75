"""Keys and values in FP8, as a server keeps them in its cache."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from curator.quantize.fake_quant import InputQuantizer

_SUFFIX = "_fp8_kv"
_NAME = f"sdpa{_SUFFIX}"
# A server takes a scale that the checkpoint lacks for 1.
_NO_SCALE = torch.ones(1)
Scales = Mapping[str, tuple[Tensor | None, Tensor | None]]


def quantize_kv(model: Any, scales: Scales) -> bool:
    """Have every attention layer round its keys (after rotation) and values to E4M3, each time it runs.

    Servers read back what the cache holds when they decode, and some in prefill too; here it is always so.

    Args:
        model: a causal language model.
        scales: of keys and values by attention module: multipliers (amax / 448).

    Returns:
        Whether it could be done: a model with attention code of its own may not ask transformers for it.
    """
    if model.config._attn_implementation != "sdpa":
        return False
    _register()
    for name, pair in scales.items():
        module = model.get_submodule(name)
        module.fp8_kv = [InputQuantizer("fp8-tensor", _one(scale)) for scale in pair]
        module.fp8_kv_ran = False
    model.config._attn_implementation = _NAME
    with torch.no_grad():
        model(input_ids=torch.zeros((1, 2), dtype=torch.long), use_cache=False)
    return all(model.get_submodule(name).fp8_kv_ran for name in scales)


def plain_attention(model: Any) -> str:
    """The attention that a model asks for, FP8 keys and values apart."""
    return str(model.config._attn_implementation).removesuffix(_SUFFIX)


def _one(scale: Tensor | None) -> Tensor:
    return (_NO_SCALE if scale is None else scale).to(torch.float32).reshape(1)


@functools.cache
def _register() -> None:
    """Add the attention to transformers' table, in this process; a second call does nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.masking_utils import sdpa_mask

    def attention(module: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any, **named: Any) -> Any:
        quantizers = getattr(module, "fp8_kv", None)
        if quantizers is not None:
            key, value = (quantize(x) for quantize, x in zip(quantizers, (key, value), strict=True))
            module.fp8_kv_ran = True
        return sdpa_attention_forward(module, query, key, value, *rest, **named)

    AttentionInterface.register(_NAME, attention)
    AttentionMaskInterface.register(_NAME, sdpa_mask)
