"""A quantised checkpoint as a model of this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from curator._errors import InputError
from curator.models.load import lacking, refuse_own_code
from curator.quantize.checkpoint import Checkpoint, open_checkpoint
from curator.quantize.fake_quant import InputQuantizer
from curator.quantize.linear_experts import linearize_experts, own_name
from curator.recipe.quantize_methods import Scheme
from curator.serve.fp8_kv import quantize_kv
from curator.serve.interface import Dtype


def load_candidate(
    folder: Path, scheme: Scheme, dtype: Dtype, notes: list[str], trust_remote_code: bool = False
) -> nn.Module:
    """A model that computes with the checkpoint's values.

    Args:
        folder: a quantised checkpoint of either layout.
        scheme: ``W4A16`` leaves activations alone.
        dtype: compute type. In bfloat16 dequantised values are rounded to it, in float32 they are exact.
        notes: gets what the user should know.
        trust_remote_code: run the Python files that the folder brings.

    Raises:
        InputError: it cannot be read, or has no activation scales and ``W4A4`` is asked.
    """
    compute = getattr(torch, dtype)
    with open_checkpoint(folder) as checkpoint:
        if scheme == "W4A4" and checkpoint.scheme == "W4A16":
            raise InputError(
                f"{folder}: a weight-only checkpoint (no activation scales) cannot be measured as W4A4"
            )
        weights = {name: tensor.to(compute) for name, tensor in checkpoint.rest()}
        weights |= {f"{name}.weight": linear.weight().to(compute) for name, linear in checkpoint.linears.items()}
        quantizers = _input_quantizers(checkpoint) if scheme == "W4A4" else {}
        kv_scales = checkpoint.kv_scales() if checkpoint.kv_cache == "fp8" else {}
    model = _model_of(folder, compute, trust_remote_code)
    known = model.state_dict().keys()
    _fill(model, {own_name(name, known): weight for name, weight in weights.items()}, folder)
    for name, quantizer in quantizers.items():
        quantizer.attach(model.get_submodule(own_name(f"{name}.weight", known).removesuffix(".weight")))
    if kv_scales:
        done = quantize_kv(model.eval(), kv_scales)
        notes.append(
            "keys and values are rounded to FP8 by the checkpoint's scales, in prefill too"
            if done
            else "FP8 keys and values are not in this measurement: the model's attention is its own"
        )
    return model


def _model_of(folder: Path, dtype: torch.dtype, trust_remote_code: bool) -> nn.Module:
    """The model that the checkpoint is of, with linear layers where it has any, and no weights yet."""
    from transformers import AutoConfig, AutoModelForCausalLM

    refuse_own_code(folder, trust_remote_code)
    config = AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model: nn.Module = AutoModelForCausalLM.from_config(config, dtype=dtype, trust_remote_code=trust_remote_code)
    # The checkpoint has an expert's layers apart.
    linearize_experts(model)
    return model


def _fill(model: Any, weights: dict[str, Tensor], folder: Path) -> None:
    missing, unexpected = model.load_state_dict(weights, strict=False)
    model.tie_weights()
    wrong = lacking(model, missing) + list(unexpected)
    if wrong:
        raise InputError(f"{folder}: the checkpoint does not fit its config.json: {', '.join(wrong[:5])}")


def _input_quantizers(checkpoint: Checkpoint) -> dict[str, InputQuantizer]:
    """How the input of every linear with quantised activations is quantised, each time it runs."""
    quantizers = {}
    for name, linear in checkpoint.linears.items():
        scale = linear.input_scale()
        if linear.input_format == "none":
            continue
        if scale is None and linear.input_format != "fp8-token":
            missing = linear.expected_name("input_scale").rpartition(".")[2]
            raise InputError(f"{checkpoint.folder}: {name} has no {missing}; W4A4 cannot be measured")
        quantizers[name] = InputQuantizer(linear.input_format, scale, linear.stored("pre_scale"))
    return quantizers
