"""A model's layers and their sizes, laid out without its weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from curator._errors import InputError
from curator.adapters.batches import check_fits
from curator.quantize.audit.experts import configured_experts
from curator.quantize.layer_formats import classes_of, is_router, other_matrices

_BLOCK = re.compile(r"(.*?\.\d+)\.")


@dataclass(frozen=True, slots=True)
class Linear:
    """One linear layer, or those of one name in all experts of a layer.

    Attributes:
        name: module name; of fused experts, that of the first expert's once they are taken apart.
        classes: see `classes_of`.
        block: the decoder layer it is in; empty outside of those.
        inputs: width of its input.
        outputs: width of its output.
        copies: experts that have one.
        router: whether it chooses experts.
    """

    name: str
    classes: tuple[str, ...]
    block: str
    inputs: int
    outputs: int
    copies: int = 1
    router: bool = False


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What memory, disk and the format ask of a model.

    Attributes:
        linears: all linear layers, without the head.
        head: module name of the output embedding; empty when there is none.
        parameters: their number, tied ones once.
        hidden: width of the model.
        heads: attention heads.
        head_size: width of one.
        vocabulary: token ids.
        positions: tokens that a row may have; ``None`` when the config does not say.
        experts: experts a layer; 0 for a dense model.
        others: see `other_matrices`.
    """

    linears: tuple[Linear, ...]
    head: str
    parameters: int
    hidden: int
    heads: int
    head_size: int
    vocabulary: int
    positions: int | None
    experts: int
    others: tuple[str, ...] = ()


def check_rows(layout: Skeleton, rows: Sequence[Sequence[int]]) -> None:
    """Refuse rows that the laid-out model does not take; see `check_fits`."""
    limits = SimpleNamespace(vocab_size=layout.vocabulary, max_position_embeddings=layout.positions)
    check_fits(rows, SimpleNamespace(config=limits))


def skeleton(folder: Path, trust_remote_code: bool) -> Skeleton | str:
    """Lay the model out on the meta device.

    Returns:
        The layout, or why there is none: the own code of some models computes with weights while it is built.

    Raises:
        InputError: transformers' own classes cannot be built from this ``config.json``.
    """
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoConfig, AutoModelForCausalLM

    faults = (OSError, ValueError, RuntimeError, TypeError, AttributeError, LookupError, ArithmeticError)
    theirs = (ImportError, NameError, SyntaxError, AssertionError) if trust_remote_code else ()
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, trust_remote_code=trust_remote_code)
        return lay_out(model)
    except (*faults, *theirs, StrictDataclassError) as error:
        words = " ".join(str(error).split())[:300] or type(error).__name__
        if trust_remote_code:
            return words
        raise InputError(
            f"{folder / 'config.json'}: no model can be made of it ({words}); give the config.json that came with "
            "the model"
        ) from error


def lay_out(model: Any) -> Skeleton:
    """The layout of a model, whatever its weights are."""
    from torch import nn

    config = getattr(model.config, "text_config", None) or model.config
    hidden = int(config.hidden_size)
    head = model.get_output_embeddings()
    found, head_name = [], ""
    for name, module in model.named_modules():
        if head is not None and module is head:
            head_name = name
        elif isinstance(module, nn.Linear) and module.weight.ndim == 2:
            found.append(
                Linear(
                    name,
                    classes_of(module),
                    _block(name),
                    module.in_features,
                    module.out_features,
                    router=is_router(model, name),
                )
            )
        else:
            found += _fused(name, module, hidden)
    heads = int(getattr(config, "num_attention_heads", None) or 1)
    return Skeleton(
        linears=tuple(found),
        head=head_name,
        parameters=sum({id(value): value.numel() for value in model.parameters()}.values()),
        hidden=hidden,
        heads=heads,
        head_size=int(getattr(config, "head_dim", None) or hidden // heads),
        vocabulary=int(config.vocab_size),
        positions=getattr(config, "max_position_embeddings", None),
        experts=configured_experts(config),
        others=other_matrices(model),
    )


def _fused(name: str, module: Any, hidden: int) -> list[Linear]:
    """The layers that llm-compressor takes fused experts apart into; none for classes that it leaves whole."""
    parameters = {leaf: value.shape for leaf, value in module.named_parameters(recurse=False) if value.ndim == 3}
    whole = parameters.get("gate_up_proj") or parameters.get("up_proj")
    if whole is None or "down_proj" not in parameters:
        return []
    copies, one, other = whole
    # Some classes store the transpose: the side of the model's width tells.
    inner = one if other == hidden else other
    leaves = ["up_proj"]
    if "gate_up_proj" in parameters:
        inner, leaves = inner // 2, ["gate_proj", "up_proj"]
    sizes = [(leaf, hidden, inner) for leaf in leaves] + [("down_proj", inner, hidden)]
    return [
        # The name of the first expert's stands for those of all.
        Linear(f"{name}.0.{leaf}", ("Linear",), _block(name), inputs, outputs, copies)
        for leaf, inputs, outputs in sizes
    ]


def _block(name: str) -> str:
    found = _BLOCK.match(f"{name}.")
    return found[1] if found else ""
