"""Tiny models, one with a layer that NVFP4 ruins, and what is needed to measure them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from curator.adapters.stored_set import set_sha256
from curator.measure.heldout import Prompt, save_prompts
from curator.serve.interface import Window

WINDOWS = [Window(tuple((7 * i + 3 * j * j) % 290 + 2 for j in range(12 + 5 * i)), 3 + i) for i in range(4)]


def random_model(kind: str) -> Any:
    """Three layers; the sliding-window kind has masks and rotary angles that differ from layer to layer."""
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM

    sizes: dict[str, Any] = {
        "vocab_size": 300,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "initializer_range": 0.2,
    }
    torch.manual_seed(3)
    if kind == "llama":
        return LlamaForCausalLM(LlamaConfig(**sizes)).eval()
    layers = ["sliding_attention", "full_attention", "sliding_attention"]
    return Gemma3ForCausalLM(Gemma3TextConfig(**sizes, sliding_window=4, layer_types=layers)).eval()


BAD = "layers.1.mlp.down_proj"
TEXT = "The ferry leaves the harbour at noon and comes back before the tide turns, every day but one. "


def save_planted(model: Path, out: Path) -> Path:
    """``model`` with outliers in every block of 16 of one layer's inputs.

    A channel times 256 and its weights by 256 leave a BF16 model what it computes; in NVFP4 the rest of the block,
    and those weights, become zero. The layer's output is four times what it was, so that it matters.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16)
    mlp = loaded.model.layers[1].mlp
    mlp.up_proj.weight.data[::16] *= 256
    mlp.down_proj.weight.data *= 4
    mlp.down_proj.weight.data[:, ::16] /= 256
    loaded.save_pretrained(out)
    AutoTokenizer.from_pretrained(model).save_pretrained(out)
    return out


def save_inputs(folder: Path) -> tuple[Path, Path]:
    """A set folder of eight rows, and a file of 16 prompts of two tasks."""
    rows = [[(5 * i + 7 * j + j * j) % 290 + 2 for j in range(30)] for i in range(8)]
    calibration_set = folder / "set"
    calibration_set.mkdir()
    (calibration_set / "samples.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    (calibration_set / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows)}))
    prompts = [
        Prompt(f"p{i}", ("prose", "code")[i % 2], "file", "unit", "en", "MIT", TEXT[3 * i : 3 * i + 30])
        for i in range(16)
    ]
    save_prompts(folder / "heldout.jsonl", prompts)
    return calibration_set, folder / "heldout.jsonl"


def save_checkpoint(model: Path, amax: dict[str, float], out: Path) -> Path:
    """``model`` with the linears named in NVFP4 by rounding to nearest, as compressed-tensors stores it."""
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from safetensors.torch import load_file, save_file

    merged = {"q": "qkv", "k": "qkv", "v": "qkv", "gate": "gu", "up": "gu"}
    tensors = load_file(model / "model.safetensors")
    groups: dict[str, list[str]] = {}
    for name in amax:
        parent, _, leaf = name.rpartition(".")
        kind = leaf.removesuffix("_proj")
        groups.setdefault(f"{parent}.{merged.get(kind, kind)}", []).append(name)
    for names in groups.values():
        divisor = torch.tensor(2688 / max(float(tensors[f"{name}.weight"].abs().max()) for name in names))
        for name in names:
            weight = tensors.pop(f"{name}.weight").float()
            blocks = weight.reshape(len(weight), -1, 16)
            scale = (blocks.abs().amax(-1) / 6 * divisor).to(torch.float8_e4m3fn)
            step = (scale.float() / divisor)[..., None]
            grid = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
            ratio = torch.where(step == 0, 0.0, blocks / step)
            # Ties to the even mantissa: BF16 weights lie on some.
            distance = (ratio.double().abs()[..., None] - grid).abs() + 1e-12 * (torch.arange(8) % 2)
            nearest = grid[distance.argmin(-1)] * ratio.sign()
            tensors |= {
                f"{name}.weight_packed": pack_fp4_to_uint8(nearest.reshape(weight.shape)),
                f"{name}.weight_scale": scale,
                f"{name}.weight_global_scale": divisor.reshape(1).clone(),
                f"{name}.input_global_scale": torch.tensor([2688 / amax[name]]),
            }
    values = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16}
    config = json.loads((model / "config.json").read_text())
    config["quantization_config"] = {
        "quant_method": "compressed-tensors",
        "format": "nvfp4-pack-quantized",
        "config_groups": {
            "group_0": {
                "targets": ["Linear"],
                "weights": {**values, "dynamic": False},
                "input_activations": {**values, "dynamic": "local"},
            }
        },
        "ignore": ["lm_head"],
    }
    out.mkdir()
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    (out / "config.json").write_text(json.dumps(config))
    return out
