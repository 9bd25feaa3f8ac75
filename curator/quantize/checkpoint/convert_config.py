"""The quantisation part of a configuration from one layout to the other."""

from __future__ import annotations

from typing import Any

from curator._errors import RefusedError
from curator.quantize.checkpoint.linear import QuantisedLinear
from curator.quantize.checkpoint.opened import Checkpoint

_E4M3 = "torch.float8_e4m3fn"
_NVFP4 = {
    "num_bits": 4,
    "type": "float",
    "strategy": "tensor_group",
    "group_size": 16,
    "symmetric": True,
    "dynamic": False,
    "scale_dtype": _E4M3,
}
_FP8 = {"num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True, "dynamic": False}
_FORMATS = {"nvfp4": "nvfp4-pack-quantized", "fp8": "float-quantized"}
# Of each ModelOpt algorithm that both layouts have: format, weights and inputs as compressed-tensors has them.
_BOTH: dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]] = {
    "NVFP4": ("nvfp4", _NVFP4, {**_NVFP4, "dynamic": "local"}),
    "W4A16_NVFP4": ("nvfp4", _NVFP4, None),
    "FP8": ("fp8", _FP8, _FP8),
    "FP8_PER_CHANNEL_PER_TOKEN": (
        "fp8",
        {**_FP8, "strategy": "channel"},
        {**_FP8, "strategy": "token", "dynamic": True},
    ),
}
_GROUP_SIZE = 16


def algorithms(checkpoint: Checkpoint) -> dict[str, list[str]]:
    """ModelOpt's name for the format of each quantised layer; layers by name.

    Raises:
        RefusedError: a layer is in a format that only one of the layouts has.
    """
    found: dict[str, list[str]] = {}
    for linear in checkpoint.linears.values():
        found.setdefault(_algorithm(checkpoint, linear), []).append(linear.name)
    return dict(sorted(found.items()))


def modelopt_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """The ``quantization`` part of ``hf_quant_config.json``.

    Raises:
        RefusedError: as `algorithms`.
    """
    by_algorithm = algorithms(checkpoint)
    kv_cache = "FP8" if checkpoint.kv_cache == "fp8" else None
    excluded = _left_out(checkpoint)
    if len(by_algorithm) == 1:
        (algorithm,) = by_algorithm
        size = {"group_size": _GROUP_SIZE} if _BOTH[algorithm][0] == "nvfp4" else {}
        return {"quant_algo": algorithm, "kv_cache_quant_algo": kv_cache, **size, "exclude_modules": excluded}
    layers = {
        name: {"quant_algo": algorithm} | ({"group_size": _GROUP_SIZE} if _BOTH[algorithm][0] == "nvfp4" else {})
        for algorithm, names in by_algorithm.items()
        for name in names
    }
    return {
        "quant_algo": "MIXED_PRECISION",
        "kv_cache_quant_algo": kv_cache,
        "quantized_layers": dict(sorted(layers.items())),
        "exclude_modules": excluded,
    }


def modelopt_in_config(section: dict[str, Any], by_algorithm: dict[str, list[str]]) -> dict[str, Any]:
    """The same as newer servers read it, as ``quantization_config`` of ``config.json``."""
    groups = {}
    for index, (algorithm, names) in enumerate(by_algorithm.items()):
        _, weights, inputs = _BOTH[algorithm]
        group = {"weights": _short(weights), "targets": ["Linear"] if len(by_algorithm) == 1 else names}
        groups[f"group_{index}"] = {"input_activations": _short(inputs) if inputs else None, **group}
    kv_cache = {"kv_cache_scheme": _short(_FP8)} if section["kv_cache_quant_algo"] else {}
    layers = {"quantized_layers": section["quantized_layers"]} if "quantized_layers" in section else {}
    return {
        "config_groups": groups,
        **layers,
        "ignore": section["exclude_modules"],
        "quant_algo": section["quant_algo"],
        **kv_cache,
        "quant_method": "modelopt",
    }


def compressed_tensors_config(checkpoint: Checkpoint) -> dict[str, Any]:
    """The ``quantization_config`` of ``config.json``.

    Raises:
        RefusedError: as `algorithms`.
    """
    by_algorithm = algorithms(checkpoint)
    groups = {}
    for index, (algorithm, names) in enumerate(by_algorithm.items()):
        form, weights, inputs = _BOTH[algorithm]
        groups[f"group_{index}"] = {
            "targets": ["Linear"] if len(by_algorithm) == 1 else names,
            "weights": weights,
            "input_activations": inputs,
            "output_activations": None,
            "format": _FORMATS[form],
        }
    formats = {group["format"] for group in groups.values()}
    return {
        "quant_method": "compressed-tensors",
        "format": formats.pop() if len(formats) == 1 else "mixed-precision",
        "config_groups": groups,
        "ignore": _left_out(checkpoint),
        "kv_cache_scheme": _FP8 if checkpoint.kv_cache == "fp8" else None,
        "quantization_status": "compressed",
    }


def _short(arguments: dict[str, Any]) -> dict[str, Any]:
    """What ModelOpt writes of a group's arguments."""
    kept = ("dynamic", "num_bits", "type", "group_size")
    short = {key: arguments[key] for key in kept if key in arguments}
    if arguments["strategy"] == "channel":
        short["strategy"] = "channel"
    # ModelOpt has no word for a global scale that is stored and block scales that are not.
    return {**short, "dynamic": False} if short["dynamic"] == "local" else short


def _algorithm(checkpoint: Checkpoint, linear: QuantisedLinear) -> str:
    group = linear.group
    if group is None or linear.tensor_name("pre_scale") is not None:
        why = "a scale of its input (pre_quant_scale)" if group else "no group in the configuration"
        raise RefusedError(f"{checkpoint.folder}: {linear.name} has {why}, which the other layout cannot hold")
    if linear.format == "nvfp4":
        names = {("static", 4): "NVFP4", ("none", 16): "W4A16_NVFP4"}
        name = names.get((group.activations, group.input_bits))
    else:
        kinds = {("tensor", "static"): "FP8", ("channel", "dynamic"): "FP8_PER_CHANNEL_PER_TOKEN"}
        name = kinds.get((group.strategy, group.activations))
    if name is None:
        raise RefusedError(
            f"{checkpoint.folder}: {linear.name} is in {linear.format} a {group.strategy} with "
            f"{group.activations} inputs, for which only one of the layouts has a word"
        )
    return name


def _left_out(checkpoint: Checkpoint) -> list[str]:
    """The layers left out, by name: the layouts' patterns differ."""
    ignore = checkpoint.stated.ignore
    patterns = set(ignore.patterns())
    names = [entry for entry in ignore.entries if entry not in patterns]
    modules = {name.rpartition(".")[0] for name in checkpoint.tensors if name.endswith(".weight")}
    quantised = set(checkpoint.linears)
    matched = [module for module in sorted(modules - quantised) if patterns and ignore.match(module)]
    return list(dict.fromkeys([*names, *matched]))
