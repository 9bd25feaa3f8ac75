"""Faults of llm-compressor 0.14 that are mended in this process."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from compressed_tensors.utils import patch_attr
from torch import nn
from transformers import PreTrainedConfig


@functools.cache
def mend_library() -> None:
    """Mend what stops a run; a second call does nothing."""
    _no_pinning()
    _wide_inputs()


def keep_masks(subgraphs: Sequence[Any]) -> None:
    """Have traced graphs make the causal mask that the model makes.

    Where a model's code makes the mask from its config, the tracer writes a copy of the config into the graph that
    lacks how attention is computed. No mask is made then, and every token attends to those after it: seen with
    Mistral, Phi-3, Mixtral and Qwen3-MoE, without any error. Calibration itself computes attention eagerly.
    """
    for subgraph in subgraphs:
        for node in subgraph.graph.nodes:
            made = node.target if node.op == "call_function" else None
            if isinstance(made, type) and issubclass(made, PreTrainedConfig):
                node.kwargs = {**node.kwargs, "attn_implementation": "eager"}
                # Compiled before, when it was run.
                subgraph._code = None


@contextmanager
def no_centring(model: nn.Module) -> Iterator[None]:
    """Keep SpinQuant from taking the mean off each embedding, inside the block, in a model without LayerNorm.

    LayerNorm takes it off anyway. RMSNorm does not, and the model becomes another: the KL of rotating SmolLM2
    alone was 0.009 with and 0.004 without, that of a random Llama 0.169 and 0.001.
    """
    from llmcompressor.modifiers.transform.spinquant import base

    if any(isinstance(module, nn.LayerNorm) for module in model.modules()):
        yield
        return
    with patch_attr(base, "center_embeddings", lambda _embedding: None):
        yield


def _no_pinning() -> None:
    """Pin no memory where there is no accelerator to copy it to: torch raises then, and AWQ with it."""
    from llmcompressor.pipelines.cache import IntermediatesCache

    if not torch.accelerator.is_available():
        IntermediatesCache.pin_memory = lambda *_arguments, **_named: None


def _wide_inputs() -> None:
    """Flatten inputs of more than three dimensions, such as that of DeepSeek's ``kv_b_proj``.

    The library flattens two, and then cannot compare rows of different lengths. The widest value is the same.
    """
    from llmcompressor.observers import base

    flatten = base.flatten_for_calibration

    def flattened(value: torch.Tensor, base_name: str, args: Any) -> Any:
        if base_name == "input" and value.ndim > 3:
            value = value.reshape(value.shape[0], -1, value.shape[-1])
        return flatten(value, base_name, args)

    base.flatten_for_calibration = flattened
