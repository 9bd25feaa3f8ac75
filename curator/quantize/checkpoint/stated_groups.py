"""The parts of a configuration: which layers, in which format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from curator._errors import InputError
from curator.quantize.checkpoint.patterns import Patterns

# What is done to a layer's input: nothing; quantised with a stored scale; quantised with a scale made on the fly.
Activations = Literal["none", "static", "dynamic"]


@dataclass(frozen=True, slots=True)
class Group:
    """Some layers and their format.

    Attributes:
        targets: which layers.
        format: ``nvfp4``, ``fp8``, or words for one that we do not read.
        strategy: how FP8 scales are shared: ``tensor``, ``channel`` or ``block``.
        activations: what is done to a layer's input.
        input_bits: bits of a quantised input; 16 when it is left alone.
        algorithm: ModelOpt's name for it; empty in compressed-tensors.
    """

    targets: Patterns
    format: str
    strategy: str = "tensor"
    activations: Activations = "none"
    input_bits: int = 16
    algorithm: str = ""


_NVFP4 = {"num_bits": 4, "type": "float", "group_size": 16, "strategy": "tensor_group"}
_FP8 = {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False}
_CHANNEL = {"num_bits": 8, "type": "float", "strategy": "channel"}
_BLOCK = {"num_bits": 8, "type": "float", "strategy": "block"}
_TOKEN = {"num_bits": 8, "type": "float", "strategy": "token", "dynamic": True}
# compressed-tensors lets a group be the name of one of its presets and a list of targets.
_PRESETS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "NVFP4": (_NVFP4, {**_NVFP4, "dynamic": "local"}),
    "NVFP4A16": (_NVFP4, None),
    "FP8": (_FP8, _FP8),
    "FP8_DYNAMIC": (_CHANNEL, _TOKEN),
    "FP8_BLOCK": (_BLOCK, _TOKEN),
}
# ModelOpt's algorithms: format, strategy, what is done to the input, and in how many bits.
ALGORITHMS: dict[str, tuple[str, str, Activations, int]] = {
    "NVFP4": ("nvfp4", "tensor", "static", 4),
    "NVFP4_AWQ": ("nvfp4", "tensor", "static", 4),
    "W4A16_NVFP4": ("nvfp4", "tensor", "none", 16),
    "W4A8_NVFP4_FP8": ("nvfp4", "tensor", "static", 8),
    "FP8": ("fp8", "tensor", "static", 8),
    "FP8_PER_CHANNEL_PER_TOKEN": ("fp8", "channel", "dynamic", 8),
    "FP8_PB_WO": ("fp8", "block", "dynamic", 8),
    "FP8_BLOCK_SCALES": ("fp8", "block", "dynamic", 8),
}
_MIXED = "MIXED_PRECISION"


def compressed_tensors_groups(own: dict[str, Any], file: Path) -> tuple[Group, ...]:
    """The ``config_groups``: exact names first, then patterns, then classes, as the library matches them.

    Raises:
        InputError: there are none, or one is not as it must be.
    """
    groups = _groups_of(own, file)
    made = [_from_arguments(name, group, file) for name, group in groups.items()]
    return tuple(sorted(made, key=lambda group: _vagueness(group.targets)))


def modelopt_groups(section: dict[str, Any], file: Path) -> tuple[Group, ...]:
    """By ``quant_algo``, or of a mixed checkpoint by ``quantized_layers``.

    Raises:
        InputError: no such algorithm is known to us, or a layer's entry is not as it must be.
    """
    algorithm = str(section.get("quant_algo") or "").upper()
    if algorithm == _MIXED:
        return _mixed(section.get("quantized_layers"), file)
    group = _from_algorithm(algorithm, ["*"], file)
    # The name is the same with and without quantised inputs in older versions: the groups tell.
    stated = section.get("config_groups")
    if group.format == "nvfp4" and isinstance(stated, dict) and stated:
        inputs = [entry.get("input_activations") for entry in stated.values() if isinstance(entry, dict)]
        if not any(inputs):
            group = _from_algorithm("W4A16_NVFP4", ["*"], file)
    return (group,)


def _mixed(layers: object, file: Path) -> tuple[Group, ...]:
    if not isinstance(layers, dict) or not layers:
        raise InputError(f"{file}: quant_algo {_MIXED} needs quantized_layers")
    by_algorithm: dict[str, list[str]] = {}
    for name, entry in layers.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("quant_algo"), str):
            raise InputError(f"{file}: quantized_layers: {name} has no quant_algo")
        by_algorithm.setdefault(entry["quant_algo"].upper(), []).append(name)
    return tuple(_from_algorithm(algorithm, names, file) for algorithm, names in by_algorithm.items())


def _from_algorithm(algorithm: str, targets: list[str], file: Path) -> Group:
    patterns = Patterns(targets, "modelopt", f"{file}: quantized_layers")
    if algorithm not in ALGORITHMS:
        if targets == ["*"]:
            raise InputError(
                f"{file}: quant_algo {algorithm!r} is none that is read; known: {', '.join(ALGORITHMS)}"
            )
        return Group(patterns, algorithm.lower(), algorithm=algorithm)
    form, strategy, activations, bits = ALGORITHMS[algorithm]
    return Group(patterns, form, strategy, activations, bits, algorithm)


def _groups_of(own: dict[str, Any], file: Path) -> dict[str, Any]:
    groups = own.get("config_groups")
    if not isinstance(groups, dict) or not groups:
        raise InputError(f"{file}: quantization_config has no config_groups")
    return groups


def _from_arguments(name: str, group: object, file: Path) -> Group:
    where = f"{file}: config_groups.{name}"
    if isinstance(group, list) and name.upper() in _PRESETS:
        preset = _PRESETS[name.upper()]
        group = {"targets": group, "weights": preset[0], "input_activations": preset[1]}
    if not isinstance(group, dict):
        raise InputError(f"{where}: must be an object, or a preset's name with its targets")
    targets, weights, inputs = (group.get(key) for key in ("targets", "weights", "input_activations"))
    if not isinstance(targets, list) or not all(isinstance(target, str) for target in targets):
        raise InputError(f"{where}: targets must be a list of names")
    if not isinstance(weights, dict | None) or not isinstance(inputs, dict | None):
        raise InputError(f"{where}: weights and input_activations must be objects or null")
    return Group(
        Patterns(targets, "compressed-tensors", f"{where}.targets"),
        _format(weights),
        str((weights or {}).get("strategy") or "tensor"),
        _activations(inputs),
        int(inputs["num_bits"]) if inputs and isinstance(inputs.get("num_bits"), int) else 16,
    )


def _format(weights: dict[str, Any] | None) -> str:
    if not weights:
        return "bf16"
    kind, bits, size = (weights.get(key) for key in ("type", "num_bits", "group_size"))
    if (kind, bits, size) == ("float", 4, 16):
        return "nvfp4"
    if (kind, bits) == ("float", 8):
        return "fp8" if weights.get("strategy") in ("tensor", "channel", "block") else "mxfp8"
    return f"{kind}{bits}" + (f" in groups of {size}" if size else "")


def _activations(inputs: dict[str, Any] | None) -> Activations:
    if not inputs:
        return "none"
    # "local" makes block scales on the fly under a stored global scale.
    return "dynamic" if inputs.get("dynamic") is True else "static"


def _vagueness(targets: Patterns) -> int:
    """0 for whole names, 1 for patterns, 2 for classes."""
    if "Linear" in targets.entries:
        return 2
    return 1 if targets.patterns() else 0
