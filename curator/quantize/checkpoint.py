"""Reading and checking an ``nvfp4-pack-quantized`` checkpoint folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from curator._errors import InputError, RefusedError
from curator._files import read_json
from curator.quantize.e2m1 import BLOCK, dequantize_weight
from curator.quantize.methods import Scheme

FORMAT = "nvfp4-pack-quantized"
# Tensors that exist only for a quantised weight.
SCALES = ("weight_scale", "weight_global_scale", "input_global_scale")
# Projections that servers merge into one matrix, with one global scale for the whole.
FUSED = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))


@dataclass(slots=True)
class CheckpointReport:
    """What a check found: how many NVFP4 linears, and what is doubtful though not wrong."""

    linears: int = 0
    warnings: list[str] = field(default_factory=list)


class Tensors:
    """All tensors of a checkpoint folder, by name, read when asked for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        files = sorted(folder.glob("*.safetensors"))
        if not files:
            raise InputError(f"{folder}: no *.safetensors file; give the folder of a checkpoint")
        self._where: dict[str, Any] = {}
        for file in files:
            try:
                handle = stack.enter_context(safe_open(file, "pt"))
            except SafetensorError as error:
                raise InputError(f"{file}: not a readable safetensors file ({error})") from error
            self._where.update(dict.fromkeys(handle.keys(), handle))

    def __iter__(self) -> Iterator[str]:
        """Names in sorted order."""
        return iter(sorted(self._where))

    def __contains__(self, name: str) -> bool:
        return name in self._where

    def __getitem__(self, name: str) -> Tensor:
        tensor: Tensor = self._where[name].get_tensor(name)
        return tensor


def quantization_config(folder: Path) -> dict[str, Any]:
    """The checkpoint's ``quantization_config``.

    Raises:
        InputError: there is none, or it is not compressed-tensors NVFP4.
    """
    whole = read_json(folder / "config.json")
    config = whole.get("quantization_config") if isinstance(whole, dict) else None
    if not isinstance(config, dict) or not config:
        raise InputError(f"{folder}: config.json has no quantization_config; this is not a quantised checkpoint")
    if config.get("format") != FORMAT:
        raise InputError(f"{folder}: format {config.get('format')!r} is not {FORMAT!r}")
    return dict(config)


def stored_scheme(config: dict[str, Any]) -> Scheme:
    """``W4A4`` when every group quantises its input activations, else ``W4A16``."""
    groups = (config.get("config_groups") or {}).values()
    return "W4A4" if groups and all(group.get("input_activations") for group in groups) else "W4A16"


def linear_names(tensors: Tensors) -> list[str]:
    """Module names that hold a packed weight."""
    return [name.removesuffix(".weight_packed") for name in tensors if name.endswith(".weight_packed")]


def dequantized(tensors: Tensors, module: str) -> Tensor:
    """The float32 weight [out, in] of one packed linear."""
    return dequantize_weight(
        tensors[f"{module}.weight_packed"],
        tensors[f"{module}.weight_scale"],
        tensors[f"{module}.weight_global_scale"],
    )


def check_checkpoint(folder: Path, asked: Scheme | None = None) -> CheckpointReport:
    """Refuse a checkpoint that would serve garbage.

    Every scale is there, fits its weight, is finite and positive; activations have scales when the scheme says
    so; no scale is left without its weight; fused projections are all quantised or none, and share their weight
    scale (a warning); neither head nor embedding is quantised.

    Args:
        folder: the checkpoint.
        asked: the scheme it is to be served with. ``W4A4`` needs a checkpoint that stores ``W4A4``.

    Raises:
        InputError: not a readable NVFP4 checkpoint.
        RefusedError: a check failed; the first ten faults are named.
    """
    scheme = stored_scheme(quantization_config(folder))
    report = CheckpointReport()
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        modules = linear_names(tensors)
        report.linears = len(modules)
        faults = [] if modules else ["no packed weight at all"]
        if asked == "W4A4" and scheme == "W4A16":
            faults.append("the checkpoint is weight-only (W4A16, no activation scales), W4A4 was asked")
        for module in modules:
            faults += _scale_faults(tensors, module, scheme)
            if module.endswith(("lm_head", "embed_tokens")):
                faults.append(f"{module} is quantised; servers expect it in BF16")
        faults += _stray_scales(tensors, modules) + _partly_fused(tensors, modules)
        if not faults:
            report.warnings += _fused_warnings(tensors, modules)
    if faults:
        raise RefusedError(f"{folder}: {len(faults)} fault(s): " + "; ".join(faults[:10]))
    return report


def tensors_sha256(folder: Path) -> str:
    """One hash over all tensors: names, dtypes, shapes and bytes, in the order of names."""
    digest = hashlib.sha256()
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        for name in tensors:
            tensor = tensors[name]
            digest.update(f"{name}:{tensor.dtype}:{tuple(tensor.shape)}".encode())
            digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _scale_faults(tensors: Tensors, module: str, scheme: Scheme) -> list[str]:
    names = ["weight_scale", "weight_global_scale"] + (["input_global_scale"] if scheme == "W4A4" else [])
    faults = []
    for name in names:
        full = f"{module}.{name}"
        if full not in tensors:
            faults.append(f"{full} is missing")
            continue
        tensor = tensors[full]
        if name == "weight_scale" and not _fits(tensor, tensors[f"{module}.weight_packed"]):
            faults.append(f"{full} has shape {tuple(tensor.shape)}, which does not fit its weight")
        value = tensor.to(torch.float32)
        if not bool(torch.isfinite(value).all()):
            faults.append(f"{full} is not finite")
        # A block of zeros may have a zero block scale; a zero global scale is a division by zero.
        elif bool((value < 0).any()) or (name != "weight_scale" and bool((value == 0).any())):
            faults.append(f"{full} is not positive")
    return faults


def _fits(scale: Tensor, packed: Tensor) -> bool:
    """Whether there is one block scale for each 16 weights, that is 8 bytes."""
    return packed.ndim == 2 and scale.shape == (packed.shape[0], packed.shape[1] * 2 // BLOCK)


def _stray_scales(tensors: Tensors, modules: list[str]) -> list[str]:
    """Scales of modules whose weight is not packed: a server sees them and builds an FP4 layer."""
    packed = set(modules)
    faults = []
    for name in tensors:
        module, _, leaf = name.rpartition(".")
        if leaf in SCALES and module not in packed:
            faults.append(f"{name} belongs to a weight that is not quantised")
    return faults


def _partly_fused(tensors: Tensors, modules: list[str]) -> list[str]:
    """Projections that a server merges, of which only some are quantised."""
    present = set(modules)
    faults = []
    for parent in sorted({module.rpartition(".")[0] for module in modules}):
        for group in FUSED:
            plain = [leaf for leaf in group if f"{parent}.{leaf}.weight" in tensors]
            if plain and any(f"{parent}.{leaf}" in present for leaf in group):
                faults.append(f"{parent}: {'/'.join(plain)} not quantised, but servers merge {'/'.join(group)}")
    return faults


def _fused_warnings(tensors: Tensors, modules: list[str]) -> list[str]:
    present = set(modules)
    warnings = []
    for module in modules:
        parent, _, leaf = module.rpartition(".")
        for group in FUSED:
            others = [f"{parent}.{name}" for name in group]
            if leaf != group[0] or not present.issuperset(others):
                continue
            scales = {float(tensors[f"{other}.weight_global_scale"]) for other in others}
            if len(scales) > 1:
                warnings.append(
                    f"{parent}: {'/'.join(group)} have different weight_global_scale; servers keep one"
                )
    return warnings
