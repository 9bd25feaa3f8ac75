"""The quantisation methods that ship, each an entry in ``SHIPPED``: steps of llm-compressor or ModelOpt."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from curator.corpora.reading import Strict
from curator.recipe.quantize_methods import Method, Step, Values

# Servers compute with what the checkpoint holds: options that a server would have to know of are not offered.


class Gptq(Strict):
    """Options of GPTQ.

    ``damping``: of GPTQ, the share of the mean diagonal that is added to the Hessian; 0.01 when left out.
    ``order``: in which GPTQ rounds a layer's columns: ``static``, the most active first, or ``none``, as they
    stand; ``static`` when left out.
    ``block_size``: columns that GPTQ rounds before it updates the rest; 128 when left out.
    """

    damping: Annotated[float, Field(gt=0, le=1)] = 0.01
    order: Literal["static", "none"] = "static"
    block_size: Annotated[int, Field(ge=16, le=65536)] = 128


class Awq(Strict):
    """Options of AWQ.

    ``grid``: scales that AWQ tries a layer; when left out 20, of ModelOpt's 11.
    ``duo_scaling``: whether AWQ's scales also look at the weights; true when left out, ``both`` tries both.
    """

    grid: Annotated[int, Field(ge=2, le=1000)] = 20
    duo_scaling: bool | Literal["both"] = True

    @model_validator(mode="after")
    def _enough(self) -> Awq:
        # llm-compressor divides by what is left of the grid, of which ``both`` takes half.
        least = {"both": 4, True: 3}.get(self.duo_scaling, 2)
        if self.grid < least:
            raise ValueError(f"grid {self.grid} is too small for this duo_scaling; give {least} or more")
        return self


class SmoothQuant(Strict):
    """Options of SmoothQuant.

    ``smoothing``: of SmoothQuant, how much goes from activations to weights, 0 to 1; 0.5 when left out.
    """

    smoothing: Annotated[float, Field(ge=0, le=1)] = 0.5


class SpinQuant(Strict):
    """Options of SpinQuant.

    ``rotation``: of SpinQuant: ``random-hadamard``, or ``hadamard``, for widths that are powers of two;
    ``random-hadamard`` when left out.
    """

    # Works for more widths than the plain one, such as 576.
    rotation: Literal["hadamard", "random-hadamard"] = "random-hadamard"


class AwqLite(Strict):
    """Options of ModelOpt's AWQ-lite; see `Awq`."""

    grid: Annotated[int, Field(ge=2, le=1000)] = 11


def _round(_options: Values, layers: Values) -> Any:
    from llmcompressor.modifiers.quantization import QuantizationModifier

    return QuantizationModifier(**layers)


def _gptq(options: Values, layers: Values) -> Any:
    from llmcompressor.modifiers.gptq import GPTQModifier

    return GPTQModifier(
        **layers,
        dampening_frac=options["damping"],
        actorder=None if options["order"] == "none" else options["order"],
        block_size=options["block_size"],
    )


def _awq(options: Values, _layers: Values) -> Any:
    from llmcompressor.modifiers.transform.awq import AWQModifier

    return AWQModifier(n_grid=options["grid"], duo_scaling=options["duo_scaling"])


def _smoothquant(options: Values, _layers: Values) -> Any:
    from llmcompressor.modifiers.transform.smoothquant import SmoothQuantModifier

    return SmoothQuantModifier(smoothing_strength=options["smoothing"])


def _spinquant(options: Values, _layers: Values) -> Any:
    from llmcompressor.modifiers.transform.spinquant import SpinQuantModifier

    # R3 and R4 would have to be computed by the server, at every token.
    return SpinQuantModifier(rotations=["R1", "R2"], transform_type=options["rotation"])


ROUND = Step(_round)
GPTQ = Step(_gptq, Gptq, frozenset({"hessians"}))
AWQ = Step(_awq, Awq, frozenset({"search", "folds"}))
SMOOTHQUANT = Step(_smoothquant, SmoothQuant, frozenset({"folds"}))
SPINQUANT = Step(_spinquant, SpinQuant, frozenset({"rotates"}))


def _preset(name: str) -> Callable[[Values, Values], dict[str, Any]]:
    """A configuration of modelopt.torch.quantization, by its name there."""

    def make(options: Values, _layers: Values) -> dict[str, Any]:
        import modelopt.torch.quantization as mtq

        config: dict[str, Any] = copy.deepcopy(getattr(mtq, name))
        if "grid" in options:
            config["algorithm"] = {"method": "awq_lite", "alpha_step": 1 / (options["grid"] - 1)}
        return config

    return make


_MODELOPT: dict[str, Any] = {"library": "modelopt", "common": frozenset({"batch_size", "ignore", "experts"})}
# All but max calibration run NVFP4 weights, by kernels for CUDA.
_GPU: Any = frozenset({"gpu"})

SHIPPED: dict[str, Method] = {
    "gptq": Method(
        "GPTQ: rounds each weight so that the layer's output error on the set is least", "weights", (GPTQ,)
    ),
    "max": Method(
        "max calibration: the set gives one activation scale a linear layer, nothing else", "scales", (ROUND,)
    ),
    "rtn": Method("round to nearest with constant activation scales: no data", "nothing", (ROUND,)),
    "awq": Method(
        "AWQ: scales per channel, searched on the set and folded into the weights", "weights", (AWQ, ROUND)
    ),
    "awq-gptq": Method("AWQ's scales, then GPTQ's rounding", "weights", (AWQ, GPTQ)),
    "smoothquant": Method(
        "SmoothQuant: moves outliers of activations into the weights, by the set's amax a channel",
        "weights",
        (SMOOTHQUANT, ROUND),
    ),
    "smoothquant-gptq": Method("SmoothQuant's scales, then GPTQ's rounding", "weights", (SMOOTHQUANT, GPTQ)),
    "spinquant": Method(
        "SpinQuant's rotations R1 and R2, folded into the weights without data, then max calibration",
        "scales",
        (SPINQUANT, ROUND),
    ),
    "spinquant-gptq": Method("SpinQuant's rotations, then GPTQ's rounding", "weights", (SPINQUANT, GPTQ)),
    "modelopt-max": Method(
        "ModelOpt's max calibration: as max, in ModelOpt's layout; runs on a CPU",
        "scales",
        (Step(_preset("NVFP4_DEFAULT_CFG")),),
        **_MODELOPT,
    ),
    "modelopt-mse": Method(
        "ModelOpt's search of each block's scale for the least squared error of the weights; needs a GPU",
        "scales",
        (Step(_preset("NVFP4_W4A4_WEIGHT_MSE_FP8_SWEEP_CFG"), traits=_GPU),),
        **_MODELOPT,
    ),
    "modelopt-hessian": Method(
        "ModelOpt's search of each block's scale, weighted by the inputs that the set gives; needs a GPU",
        "weights",
        (Step(_preset("NVFP4_W4A4_WEIGHT_LOCAL_HESSIAN_CFG"), traits=_GPU),),
        **_MODELOPT,
    ),
    "modelopt-awq": Method(
        "ModelOpt's AWQ-lite: scales per channel, searched on the set; needs a GPU",
        "weights",
        (Step(_preset("NVFP4_AWQ_LITE_CFG"), AwqLite, _GPU),),
        schemes=("W4A4",),
        **_MODELOPT,
    ),
}
