"""Small checkpoints of both layouts, quantised here from known weights, by arithmetic of the tests' own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
from safetensors.torch import save_file
from torch import Tensor

HIDDEN, INNER = 64, 128
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
Q, DOWN = "model.layers.0.self_attn.q_proj", "model.layers.0.mlp.down_proj"
MERGED = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
_GRID = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
_NVFP4 = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "dynamic": False}
_FP8 = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}
_KV = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False, "symmetric": True}


def plain_weights(seed: int = 0, layers: int = 1, experts: int = 0) -> dict[str, Tensor]:
    """BF16 tensors of a tiny Llama, or of a mixture of experts."""
    generator = torch.Generator().manual_seed(seed)

    def draw(rows: int, columns: int) -> Tensor:
        return (torch.randn((rows, columns), generator=generator) * 0.2).to(torch.bfloat16)

    tensors = {"model.embed_tokens.weight": draw(32, HIDDEN), "model.norm.weight": torch.ones(HIDDEN)}
    for layer in range(layers):
        root = f"model.layers.{layer}"
        for name in ATTENTION:
            tensors[f"{root}.self_attn.{name}.weight"] = draw(HIDDEN, HIDDEN)
        if experts:
            tensors[f"{root}.mlp.gate.weight"] = draw(experts, HIDDEN)
        for mlp in [f"{root}.mlp.experts.{index}" for index in range(experts)] or [f"{root}.mlp"]:
            tensors[f"{mlp}.gate_proj.weight"] = draw(INNER, HIDDEN)
            tensors[f"{mlp}.up_proj.weight"] = draw(INNER, HIDDEN)
            tensors[f"{mlp}.down_proj.weight"] = draw(HIDDEN, INNER)
    return tensors


def linear_modules(tensors: Iterable[str]) -> list[str]:
    """Names of the linears among the tensors of `plain_weights`."""
    return [name.removesuffix(".weight") for name in tensors if name.endswith("_proj.weight")]


@dataclass
class Made:
    """Tensors and configuration of a checkpoint, to change before it is written."""

    layout: str
    tensors: dict[str, Tensor]
    config: dict[str, Any]
    apart: dict[str, Any] | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path, shards: int = 1) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        names = sorted(self.tensors)
        if shards == 1:
            save_file(self.tensors, folder / "model.safetensors")
        else:
            files = [f"model-{index + 1:05d}-of-{shards:05d}.safetensors" for index in range(shards)]
            for index, file in enumerate(files):
                save_file({name: self.tensors[name] for name in names[index::shards]}, folder / file)
            weight_map = {name: files[index % shards] for index, name in enumerate(names)}
            (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
        (folder / "config.json").write_text(json.dumps(self.config))
        if self.apart:
            (folder / "hf_quant_config.json").write_text(json.dumps(self.apart))
        for name, text in self.extra.items():
            (folder / name).write_text(text)
        return folder

    @property
    def own(self) -> dict[str, Any]:
        own: dict[str, Any] = self.config["quantization_config"]
        return own


def make(
    layout: str = "compressed-tensors",
    weights: dict[str, Tensor] | None = None,
    *,
    activations: bool = True,
    fp8: tuple[str, ...] = (),
    bf16: tuple[str, ...] = (),
    kv: bool = False,
) -> Made:
    """A checkpoint of ``weights``, each linear in NVFP4 but those named.

    Args:
        layout: whose names and conventions.
        weights: see `plain_weights`.
        activations: W4A4, or weight-only.
        fp8: modules in static FP8.
        bf16: modules that are left alone, and listed so.
        kv: scales of an FP8 KV cache.
    """
    weights = plain_weights() if weights is None else weights
    modules = linear_modules(weights)
    tensors: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        module = name.removesuffix(".weight")
        if module not in modules or module in bf16:
            tensors[name] = tensor
        elif module in fp8:
            tensors |= _fp8(module, tensor, layout)
        else:
            tensors |= nvfp4_tensors(module, tensor, _shared_amax(module, weights), layout, activations)
    if kv:
        tensors |= _kv_scales(modules, layout)
    nvfp4 = [module for module in modules if module not in (*fp8, *bf16)]
    return _with_config(layout, tensors, nvfp4, list(fp8), ["lm_head", *bf16], activations, kv)


def quantised(weight: Tensor, amax: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Packed weight, block scales and divisor: each value rounded to the nearest."""
    divisor = 2688 / amax.float()
    blocks = weight.float().reshape(weight.shape[0], -1, 16)
    scale = (blocks.abs().amax(-1) / 6 * divisor).clamp(max=448).to(torch.float8_e4m3fn)
    step = (scale.float() / divisor)[..., None]
    ratio = torch.where(step > 0, blocks / step, 0.0)
    nearest = _GRID[(ratio.abs()[..., None] - _GRID).abs().argmin(-1)] * ratio.sign()
    return pack_fp4_to_uint8(nearest.reshape(weight.shape)), scale, divisor.reshape(1)


def nvfp4_tensors(
    module: str, weight: Tensor, amax: Tensor, layout: str, activations: bool = True
) -> dict[str, Tensor]:
    packed, scale, divisor = quantised(weight, amax)
    if layout == "compressed-tensors":
        tensors = {"weight_packed": packed, "weight_scale": scale, "weight_global_scale": divisor}
        inputs = {"input_global_scale": torch.tensor([300.0])}
    else:
        tensors = {"weight": packed, "weight_scale": scale, "weight_scale_2": (1 / divisor).reshape(())}
        inputs = {"input_scale": torch.tensor(1 / 300.0)}
    return {f"{module}.{leaf}": tensor for leaf, tensor in (tensors | (inputs if activations else {})).items()}


def _shared_amax(module: str, weights: dict[str, Tensor]) -> Tensor:
    parent, _, leaf = module.rpartition(".")
    group = next((group for group in MERGED if leaf in group), (leaf,))
    return torch.stack([weights[f"{parent}.{name}.weight"].abs().max() for name in group]).max()


def _fp8(module: str, weight: Tensor, layout: str) -> dict[str, Tensor]:
    scale = weight.float().abs().max() / 448
    shape = (1,) if layout == "compressed-tensors" else ()
    return {
        f"{module}.weight": (weight.float() / scale).to(torch.float8_e4m3fn),
        f"{module}.weight_scale": scale.reshape(shape),
        f"{module}.input_scale": torch.tensor(0.02).reshape(shape),
    }


def _kv_scales(modules: list[str], layout: str) -> dict[str, Tensor]:
    scales = {}
    for index, module in enumerate(sorted({m.rpartition(".")[0] for m in modules if "self_attn" in m})):
        for leaf in ("k_scale", "v_scale"):
            value = 0.011 + 0.003 * index
            if layout == "compressed-tensors":
                scales[f"{module}.{leaf}"] = torch.tensor([value], dtype=torch.bfloat16)
            else:
                scales[f"{module}.{leaf[0]}_proj.{leaf}"] = torch.tensor(value)
    return scales


def _with_config(
    layout: str,
    tensors: dict[str, Tensor],
    nvfp4: list[str],
    fp8: list[str],
    ignore: list[str],
    activations: bool,
    kv: bool,
) -> Made:
    config: dict[str, Any] = {"model_type": "llama", "tie_word_embeddings": True, "dtype": "bfloat16"}
    kv_cache = _KV if kv else None
    if layout == "modelopt":
        algorithm = "NVFP4" if activations else "W4A16_NVFP4"
        section: dict[str, Any] = {"quant_algo": algorithm, "kv_cache_quant_algo": "FP8" if kv else None}
        section |= {"group_size": 16, "exclude_modules": ignore}
        if fp8:
            section["quant_algo"] = "MIXED_PRECISION"
            layers = {module: {"quant_algo": algorithm, "group_size": 16} for module in nvfp4}
            section["quantized_layers"] = layers | {module: {"quant_algo": "FP8"} for module in fp8}
        apart = {"producer": {"name": "modelopt", "version": "0.47.0"}, "quantization": section}
        return Made(layout, tensors, config, apart)
    groups = {
        "group_0": {
            "targets": ["Linear"],
            "weights": _NVFP4,
            "input_activations": {**_NVFP4, "dynamic": "local"} if activations else None,
            "format": "nvfp4-pack-quantized",
        }
    }
    if fp8:
        own = {"targets": fp8, "weights": _FP8, "input_activations": _FP8}
        groups["group_1"] = {**own, "format": "float-quantized"}
    config["quantization_config"] = {
        "quant_method": "compressed-tensors",
        "format": "mixed-precision" if fp8 else "nvfp4-pack-quantized",
        "config_groups": groups,
        "ignore": ignore,
        "kv_cache_scheme": kv_cache,
    }
    return Made(layout, tensors, config)
