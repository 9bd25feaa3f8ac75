"""Every quantisation method: which library runs it, and which options it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Scheme = Literal["W4A4", "W4A16"]
MethodName = Literal[
    "gptq",
    "max",
    "rtn",
    "awq",
    "awq-gptq",
    "smoothquant",
    "smoothquant-gptq",
    "spinquant",
    "spinquant-gptq",
    "modelopt-max",
    "modelopt-mse",
    "modelopt-hessian",
    "modelopt-awq",
]
Library = Literal["llm-compressor", "modelopt"]
# What in the method itself a set can change; "scales" are those of activations, which W4A16 has not.
Data = Literal["weights", "scales", "nothing"]

_GPTQ = {"damping": 0.01, "order": "static", "block_size": 128}
_AWQ = {"grid": 20, "duo_scaling": True}
_SMOOTHQUANT = {"smoothing": 0.5}
# Works for more widths than the plain one, such as 576.
_SPINQUANT = {"rotation": "random-hadamard"}
# Options of every method but those that say otherwise; their defaults are in the schema.
_COMMON = frozenset({"batch_size", "observer", "ignore", "precision", "kv_cache", "pipeline", "experts"})

_MODELOPT = frozenset({"batch_size", "ignore", "experts"})


@dataclass(frozen=True, slots=True)
class Method:
    """One way to an NVFP4 checkpoint.

    Attributes:
        title: one line for people.
        data: what a calibration set can change under it.
        options: its own options, with their defaults.
        common: those of the general options that it takes.
        schemes: the schemes that it makes.
        library: what runs it.
    """

    title: str
    data: Data
    options: dict[str, Any] = field(default_factory=dict)
    common: frozenset[str] = _COMMON
    schemes: tuple[Scheme, ...] = ("W4A4", "W4A16")
    library: Library = "llm-compressor"


METHODS: dict[str, Method] = {
    "gptq": Method(
        "GPTQ: rounds each weight so that the layer's output error on the set is least", "weights", _GPTQ
    ),
    "max": Method("max calibration: the set gives one activation scale a linear layer, nothing else", "scales"),
    "rtn": Method(
        "round to nearest with constant activation scales: no data",
        "nothing",
        common=frozenset({"observer", "ignore", "precision"}),
    ),
    "awq": Method("AWQ: scales per channel, searched on the set and folded into the weights", "weights", _AWQ),
    "awq-gptq": Method("AWQ's scales, then GPTQ's rounding", "weights", {**_AWQ, **_GPTQ}),
    "smoothquant": Method(
        "SmoothQuant: moves outliers of activations into the weights, by the set's amax a channel",
        "weights",
        _SMOOTHQUANT,
    ),
    "smoothquant-gptq": Method("SmoothQuant's scales, then GPTQ's rounding", "weights", {**_SMOOTHQUANT, **_GPTQ}),
    "spinquant": Method(
        "SpinQuant's rotations R1 and R2, folded into the weights without data, then max calibration",
        "scales",
        _SPINQUANT,
    ),
    "spinquant-gptq": Method("SpinQuant's rotations, then GPTQ's rounding", "weights", {**_SPINQUANT, **_GPTQ}),
    "modelopt-max": Method(
        "ModelOpt's max calibration: as max, in ModelOpt's layout; runs on a CPU",
        "scales",
        common=_MODELOPT,
        library="modelopt",
    ),
    "modelopt-mse": Method(
        "ModelOpt's search of each block's scale for the least squared error of the weights; needs a GPU",
        "scales",
        common=_MODELOPT,
        library="modelopt",
    ),
    "modelopt-hessian": Method(
        "ModelOpt's search of each block's scale, weighted by the inputs that the set gives; needs a GPU",
        "weights",
        common=_MODELOPT,
        library="modelopt",
    ),
    "modelopt-awq": Method(
        "ModelOpt's AWQ-lite: scales per channel, searched on the set; needs a GPU",
        "weights",
        {"grid": 11},
        common=_MODELOPT,
        schemes=("W4A4",),
        library="modelopt",
    ),
}
