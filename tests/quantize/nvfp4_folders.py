"""Small ``nvfp4-pack-quantized`` folders, right and faulty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

W4A4 = {"num_bits": 4, "type": "float", "group_size": 16, "dynamic": "local"}


def config(activations: bool = True) -> dict[str, Any]:
    group = {"targets": ["Linear"], "weights": W4A4, "input_activations": W4A4 if activations else None}
    return {
        "model_type": "llama",
        "quantization_config": {
            "quant_method": "compressed-tensors",
            "format": "nvfp4-pack-quantized",
            "config_groups": {"group_0": group},
            "ignore": ["lm_head"],
        },
    }


def linear(name: str, activations: bool = True, seed: int = 0) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    tensors = {
        f"{name}.weight_packed": torch.randint(0, 256, (32, 16), dtype=torch.uint8, generator=generator),
        f"{name}.weight_scale": (torch.rand((32, 2), generator=generator) * 400 + 1).to(torch.float8_e4m3fn),
        f"{name}.weight_global_scale": torch.tensor([700.0]),
    }
    if activations:
        tensors[f"{name}.input_global_scale"] = torch.tensor([50.0])
    return tensors


def good(activations: bool = True) -> dict[str, Tensor]:
    tensors = {"model.embed_tokens.weight": torch.ones((8, 32), dtype=torch.bfloat16)}
    for leaf in ("q_proj", "k_proj", "v_proj", "o_proj"):
        tensors |= linear(f"model.layers.0.self_attn.{leaf}", activations)
    return tensors


def write(folder: Path, tensors: dict[str, Tensor], settings: dict[str, Any] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config() if settings is None else settings))
    return folder
