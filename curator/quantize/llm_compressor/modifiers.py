"""From our settings to llm-compressor's modifiers, in the order in which they work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, preset_name_to_scheme

from curator._errors import first_line
from curator.quantize.llm_compressor.layers import names_of
from curator.recipe.installed import wrong
from curator.recipe.quantize_methods import Step
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
    """The modifier of each of a method's steps: what changes the model first, then what rounds it.

    Raises:
        DependencyError: a step of an installed package fails, or gives no modifier.
    """
    return [_modifier(step, settings, formats) for step in settings.about.steps]


def _modifier(step: Step, settings: QuantizeSettings, formats: Mapping[str, Format]) -> Any:
    from llmcompressor.modifiers import Modifier

    try:
        made = step.make(settings.options(), _layers(settings, formats))
        if not isinstance(made, Modifier):
            raise TypeError(f"make gave {type(made).__name__}, no modifier of llm-compressor")
    # Whatever the package's own code raises.
    except Exception as error:
        if not settings.about.package:
            raise
        what = f"cannot be used: {first_line(error)}"
        raise wrong("method", settings.method, settings.about.package, what) from error
    return made


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
