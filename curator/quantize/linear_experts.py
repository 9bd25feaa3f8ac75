"""Experts that a model holds as one tensor, taken apart into linear layers, which can be quantised one by one."""

from __future__ import annotations

import os
from collections.abc import Container
from typing import Any

from curator.quantize.layer_names import MIXTRAL

_NO_LOG = "LLM_COMPRESSOR_LOG_DISABLED"


def linearize_experts(model: Any) -> bool:
    """Replace fused experts in place by llm-compressor's linear ones, which compute the same but for rounding.

    Returns:
        Whether there were any.
    """
    # Three dimensions are rare (convolutions apart): most models are spared the library's import.
    if not any(parameter.ndim == 3 for parameter in model.parameters()):
        return False
    import torch

    get_non_linearized_moes, linearize_moe = _library()
    if not get_non_linearized_moes(model):
        return False
    with torch.no_grad():
        linearize_moe(model)
    return True


def own_name(name: str, known: Container[str]) -> str:
    """What a model calls a tensor that a checkpoint may have under Mixtral's older names, or a mix of both.

    Args:
        name: of the checkpoint's tensor.
        known: the names of the model's.

    Returns:
        A known name, else ``name``.
    """
    module, _, leaf = name.rpartition(".")
    parent, _, layer = module.rpartition(".")
    blocks = (parent, parent.replace(".block_sparse_moe", ".mlp"), parent.replace(".mlp", ".block_sparse_moe"))
    layers = (layer, MIXTRAL.get(layer, layer), {new: old for old, new in MIXTRAL.items()}.get(layer, layer))
    spelt = (f"{block}.{inner}.{leaf}" for block in blocks for inner in layers)
    return next((other for other in spelt if other in known), name)


def _library() -> tuple[Any, Any]:
    """llm-compressor's functions, silenced: it prints on standard output when imported and when used."""
    before = os.environ.get(_NO_LOG)
    os.environ[_NO_LOG] = "true"
    try:
        from llmcompressor.modeling.moe.linearize import get_non_linearized_moes, linearize_moe
        from loguru import logger
    finally:
        # Quantising is a child process with a log of its own, where it may speak.
        if before is None:
            del os.environ[_NO_LOG]
        else:
            os.environ[_NO_LOG] = before
    # Where it was imported before.
    logger.disable("llmcompressor")
    return get_non_linearized_moes, linearize_moe
