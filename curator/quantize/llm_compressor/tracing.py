"""Cutting a model into layers that are run one after another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from compressed_tensors.offload import set_onload_device
from llmcompressor.args import DatasetArguments
from llmcompressor.pipelines.sequential.helpers import trace_subgraphs
from llmcompressor.utils.dev import get_main_device
from llmcompressor.utils.pytorch.module import infer_sequential_targets
from torch import Tensor
from torch.fx.proxy import TraceError

from curator.quantize.llm_compressor.mends import keep_masks
from curator.quantize.llm_compressor.same_model import is_the_model

_ADDRESS = re.compile(r" (object )?at 0x[0-9a-f]+")
Batch = Mapping[str, Tensor]
# Tracing runs the model's own code on stand-ins for tensors, which can fail in any of these ways.
_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TraceError,
    TypeError,
    ValueError,
)


class Untraceable(Exception):
    """The model cannot be cut into layers that are run one after another; the words say why."""


def trace(model: Any, batches: Sequence[Batch]) -> list[Any]:
    """Cut a model into subgraphs of a layer each, as llm-compressor's sequential pipeline does.

    A graph has the way that the model's code took for one batch. Where the code goes by the length of a row, as
    attention that turns sparse beyond some length does, other rows would silently go the wrong way; and it may
    lack what is made outside of modules. So it is compared with the model on the shortest and the longest batch.

    Raises:
        Untraceable: it cannot be cut, or its parts are not the model.
    """
    if not getattr(model, "_no_split_modules", None):
        raise Untraceable("it does not name its layers in _no_split_modules")
    set_onload_device(model, get_main_device())
    targets = infer_sequential_targets(model)
    try:
        subgraphs: list[Any] = trace_subgraphs(model, dict(batches[0]), targets, DatasetArguments().tracing_ignore)
        keep_masks(subgraphs)
        for batch in _probes(batches):
            if not is_the_model(model, subgraphs, batch):
                tokens = batch["input_ids"].shape[-1]
                raise Untraceable(f"its graph gives other results than the model on rows of {tokens} tokens")
    except _FAULTS as error:
        raise Untraceable(_cause(error)) from error
    return subgraphs


def _cause(error: Exception) -> str:
    """The first line that says something: the library puts the source of what it wrapped before it."""
    paragraphs = [part.strip() for part in str(error).split("\n\n") if part.strip()]
    words = paragraphs[-1] if paragraphs and paragraphs[0].startswith("---") else str(error).strip()
    # An object is shown with its address, which says nothing and is another each time.
    return _ADDRESS.sub("", (words or type(error).__name__).split("\n", 1)[0])[:200]


def _probes(batches: Sequence[Batch]) -> list[Batch]:
    by_length = {batch["input_ids"].shape[-1]: batch for batch in batches}
    return [by_length[length] for length in sorted({min(by_length), max(by_length)})]
