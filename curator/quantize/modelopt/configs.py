"""From our settings to a configuration of ModelOpt's ``mtq.quantize``."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from curator.recipe.quantize_settings import QuantizeSettings

# Presets of modelopt.torch.quantization, by method.
_W4A4 = {
    "modelopt-max": "NVFP4_DEFAULT_CFG",
    "modelopt-awq": "NVFP4_AWQ_LITE_CFG",
    "modelopt-mse": "NVFP4_W4A4_WEIGHT_MSE_FP8_SWEEP_CFG",
    "modelopt-hessian": "NVFP4_W4A4_WEIGHT_LOCAL_HESSIAN_CFG",
}
_INPUTS = "*input_quantizer"


def configuration(settings: QuantizeSettings, keep: Iterable[str]) -> dict[str, Any]:
    """What ``mtq.quantize`` is given: a preset, the method's options, and the layers that stay.

    Args:
        settings: method and options.
        keep: names of the linear layers that stay in BF16.
    """
    import modelopt.torch.quantization as mtq

    config: dict[str, Any] = copy.deepcopy(getattr(mtq, _W4A4[settings.method]))
    if settings.method == "modelopt-awq":
        config["algorithm"] = {"method": "awq_lite", "alpha_step": 1 / (settings.option("grid") - 1)}
    # Of several entries that match, the last counts.
    if settings.scheme == "W4A16":
        config["quant_cfg"].append({"quantizer_name": _INPUTS, "enable": False})
    config["quant_cfg"] += [{"quantizer_name": f"{name}.*quantizer", "enable": False} for name in keep]
    return config
