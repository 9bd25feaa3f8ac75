"""From our settings to llm-compressor's modifiers, in the order in which they work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, preset_name_to_scheme

from curator.quantize.llm_compressor.layers import names_of
from curator.recipe.quantize_settings import Format, QuantizeSettings

# Weights are looked at once: the library replaces the observers that keep averages by these.
_OBSERVERS = {
    "minmax": "memoryless_minmax",
    "mse": "memoryless_mse",
    "expanded-mse": "nvfp4_expanded_mse",
    "imatrix": "imatrix_mse",
    "expanded-imatrix": "nvfp4_expanded_imatrix",
}


def modifiers(settings: QuantizeSettings, formats: Mapping[str, Format]) -> list[Any]:
    """The modifiers of a method: what changes the model first, then what rounds it."""
    method = settings.method
    found: list[Any] = []
    if method.startswith("awq"):
        from llmcompressor.modifiers.transform.awq import AWQModifier

        found.append(AWQModifier(n_grid=settings.option("grid"), duo_scaling=settings.option("duo_scaling")))
    if method.startswith("smoothquant"):
        from llmcompressor.modifiers.transform.smoothquant import SmoothQuantModifier

        found.append(SmoothQuantModifier(smoothing_strength=settings.option("smoothing")))
    if method.startswith("spinquant"):
        from llmcompressor.modifiers.transform.spinquant import SpinQuantModifier

        # R3 and R4 would have to be computed by the server, at every token.
        found.append(SpinQuantModifier(rotations=["R1", "R2"], transform_type=settings.option("rotation")))
    return [*found, _rounding(settings, formats)]


def _rounding(settings: QuantizeSettings, formats: Mapping[str, Format]) -> Any:
    layers = _layers(settings, formats)
    if settings.method.endswith("gptq"):
        from llmcompressor.modifiers.gptq import GPTQModifier

        order = settings.option("order")
        return GPTQModifier(
            **layers,
            dampening_frac=settings.option("damping"),
            actorder=None if order == "none" else order,
            block_size=settings.option("block_size"),
        )
    from llmcompressor.modifiers.quantization import QuantizationModifier

    return QuantizationModifier(**layers)


def _layers(settings: QuantizeSettings, formats: Mapping[str, Format]) -> dict[str, Any]:
    """Which layers are quantised how: groups of the checkpoint's config, and what stays."""
    fp8 = names_of(formats, "fp8")
    # Names where there are two groups: servers look for a name before a class.
    groups = {"nvfp4": _nvfp4(settings, names_of(formats, "nvfp4") if fp8 else ["Linear"])}
    if fp8:
        groups["fp8"] = _fp8(settings, fp8)
    cache = QuantizationArgs(num_bits=8, type="float", strategy="tensor", dynamic=False, observer="static_minmax")
    return {
        "config_groups": groups,
        "ignore": names_of(formats, "bf16"),
        "kv_cache_scheme": cache if settings.kv_cache == "fp8" else None,
    }


def _nvfp4(settings: QuantizeSettings, targets: Any) -> QuantizationScheme:
    scheme = preset_name_to_scheme("NVFP4" if settings.scheme == "W4A4" else "NVFP4A16", targets)
    scheme.weights.observer = _OBSERVERS[settings.observer]
    return scheme


def _fp8(settings: QuantizeSettings, targets: Any) -> QuantizationScheme:
    scheme = preset_name_to_scheme("FP8_DYNAMIC", targets)
    scheme.weights.observer = "memoryless_minmax"
    if settings.scheme == "W4A16":
        scheme.input_activations = None
        # What the library would call naive-quantized is the same, under a name that servers do not know.
        scheme.format = "float-quantized"
    return scheme
