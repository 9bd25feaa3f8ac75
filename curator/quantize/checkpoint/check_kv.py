"""The scales of an FP8 KV cache: both of each attention layer, or none where none is asked for."""

from __future__ import annotations

import torch

from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.opened import KV_SCALES, Checkpoint, attention_of

# Above it keys or values are so large that FP8 has few steps for the others; ModelOpt warns at the same.
_LARGE = 0.5
_NUMBERS = (torch.float32, torch.bfloat16, torch.float16)
_DENSE = {"full_attention", "sliding_attention", "chunked_attention"}


def check_kv(checkpoint: Checkpoint, found: Findings) -> None:
    """Check the scales of keys and values against what the configuration says."""
    scales = checkpoint.kv_scales()
    if checkpoint.kv_cache == "none":
        for name in checkpoint.parts.kv:
            found.fault(f"{name} is a scale of an FP8 KV cache, which the configuration does not ask for")
        return
    if checkpoint.kv_cache == "other":
        found.doubt("the KV cache is in a format that is not checked")
        return
    if not scales:
        found.doubt("the KV cache is in FP8 without any k_scale and v_scale: servers take 1.0 for them")
        return
    seen: dict[tuple[str, str], str] = {}
    for name in checkpoint.parts.kv:
        other = seen.setdefault(attention_of(name), name)
        if other != name:
            found.fault(f"{other} and {name} are the same scale in two spellings; keep one")
    for module, pair in scales.items():
        for leaf, scale in zip(KV_SCALES, pair, strict=True):
            _check_scale(f"{module}.{leaf}", scale, found)
    _check_all_layers(checkpoint, set(scales), found)


def _check_scale(name: str, scale: torch.Tensor | None, found: Findings) -> None:
    if scale is None:
        found.fault(f"{name} is missing, its layer has the other of k_scale and v_scale")
        return
    if not scale.numel() or scale.dtype not in _NUMBERS:
        kind = str(scale.dtype).removeprefix("torch.")
        found.fault(f"{name} has shape {tuple(scale.shape)} and type {kind}, which is no scale")
        return
    value = scale.to(torch.float32)
    if not bool(torch.isfinite(value).all()) or bool((value <= 0).any()):
        found.fault(f"{name} is not a finite positive number")
    elif bool((value > _LARGE).any()) and not bool((value == 1).all()):
        found.doubt(f"a KV scale above {_LARGE}: its keys or values are so large that FP8 loses the others", name)


def _check_all_layers(checkpoint: Checkpoint, scaled: set[str], found: Findings) -> None:
    """Layers of a hybrid model that keep no keys and values have no scales."""
    modules = {*checkpoint.linears, *checkpoint.parts.plain}
    attention = {name.removesuffix(".k_proj") for name in modules if name.endswith(".k_proj")}
    without = sorted(attention - scaled)
    if _is_hybrid(checkpoint.config):
        if without:
            found.doubt("no k_scale and v_scale; right only where this hybrid model keeps no KV cache", without[0])
        return
    for module in without:
        found.fault(f"{module} has no k_scale and v_scale, other layers have")


def _is_hybrid(config: dict[str, object]) -> bool:
    """Whether layers differ in kind, as far as the configuration lists them."""
    text = config.get("text_config")
    places = [config, text if isinstance(text, dict) else {}]
    lists = [place.get(key) for place in places for key in ("layer_types", "mixer_types", "layers_block_type")]
    kinds = {str(kind) for entries in lists if isinstance(entries, list) for kind in entries}
    return bool(kinds - _DENSE)
