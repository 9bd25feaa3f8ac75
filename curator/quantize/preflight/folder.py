"""Whether a folder holds an unquantised causal language model, whole and in safetensors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import read_json
from curator.models.regular_files import refuse_irregular
from curator.quantize.checkpoint.tensors import INDEX, weight_map

_SHARD = re.compile(r"(.*)-(\d+)-of-(\d+)\.safetensors")
# Formats whose reading may run code.
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_QUANTISED = ("quantization_config", "compression_config")


def check_folder(folder: Path) -> dict[str, Any]:
    """Refuse a folder that nothing can be quantised from.

    Returns:
        Its ``config.json``.

    Raises:
        InputError: no causal language model; one that is quantised already; no safetensors, or not all of them; a
            file that is none.
    """
    refuse_irregular(folder)
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise InputError(
            f"{folder / 'config.json'}: must be an object of settings; give a transformers model folder"
        )
    _check_quantised(folder, config)
    _check_causal(folder, config)
    _check_weights(folder)
    return config


def _check_quantised(folder: Path, config: dict[str, Any]) -> None:
    inner = config.get("text_config")
    for key in _QUANTISED:
        stored = config.get(key) or (inner.get(key) if isinstance(inner, dict) else None)
        if stored:
            method = stored.get("quant_method", "?") if isinstance(stored, dict) else "?"
            raise InputError(
                f"model {folder}: is quantised already ({key}: {method}); give the BF16 model it was made from"
            )
    if (folder / "hf_quant_config.json").is_file():
        raise InputError(
            f"model {folder}: is quantised already (hf_quant_config.json); give the BF16 model it was made from"
        )


def _check_causal(folder: Path, config: dict[str, Any]) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    kind = str(config.get("model_type"))
    known = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(kind, ())
    classes = config.get("auto_map")
    own = classes.get("AutoModelForCausalLM") if isinstance(classes, dict) else None
    causal = {str(own or "").rpartition(".")[2], *((known,) if isinstance(known, str) else known)} - {""}
    named = config.get("architectures")
    named = [str(name) for name in named] if isinstance(named, list) else []
    other = [name for name in named if name not in causal and not name.endswith(("ForCausalLM", "LMHeadModel"))]
    if config.get("is_encoder_decoder") or not causal or (named and len(other) == len(named)):
        words = f"{named[0]} is" if named else f"model type {kind} is"
        raise InputError(
            f"model {folder}: {words} no causal language model; give one whose config.json names an architecture "
            "...ForCausalLM"
        )


def _check_weights(folder: Path) -> None:
    files = {file.name for file in folder.glob("*.safetensors")}
    indexed = weight_map(folder).values() if (folder / INDEX).is_file() else ()
    wanted = {*indexed} | {part for name in files for part in _siblings(name)}
    missing = sorted(wanted - files)
    if missing:
        raise InputError(
            f"model {folder}: {missing[0]} is missing ({len(missing)} of {len(wanted)} shards); fetch the model "
            "again"
        )
    if files:
        return
    pickled = sorted(file.name for pattern in _PICKLED for file in folder.glob(pattern))
    if pickled:
        raise InputError(
            f"model {folder}: only {pickled[0]}, no safetensors; pickled weights may run code and are never read: "
            "where you trust them, load them with transformers and save_pretrained them"
        )
    raise InputError(f"model {folder}: no *.safetensors file; give the whole folder of one model")


def _siblings(name: str) -> list[str]:
    """All shards that a shard's own name speaks of."""
    found = _SHARD.fullmatch(name)
    if not found:
        return []
    stem, width, number = found[1], len(found[2]), int(found[3])
    # A name is not believed beyond reason.
    if number > 100_000:
        return []
    return [f"{stem}-{part:0{width}}-of-{found[3]}.safetensors" for part in range(1, number + 1)]
