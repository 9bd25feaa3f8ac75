"""From our settings to a configuration of ModelOpt's ``mtq.quantize``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from curator.recipe.quantize_settings import QuantizeSettings

_INPUTS = "*input_quantizer"


def configuration(settings: QuantizeSettings, keep: Iterable[str]) -> dict[str, Any]:
    """What ``mtq.quantize`` is given: a preset, the method's options, and the layers that stay.

    Args:
        settings: method and options.
        keep: names of the linear layers that stay in BF16.
    """
    config: dict[str, Any] = settings.about.steps[0].make(settings.options(), {})
    # Of several entries that match, the last counts.
    if settings.scheme == "W4A16":
        config["quant_cfg"].append({"quantizer_name": _INPUTS, "enable": False})
    config["quant_cfg"] += [{"quantizer_name": f"{name}.*quantizer", "enable": False} for name in keep]
    return config
