"""Quantisation methods: what each is, and what in it a calibration set can change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MethodName = Literal["gptq", "max", "rtn"]
Scheme = Literal["W4A4", "W4A16"]
DataActs = Literal["weights", "activation-scales", "nothing"]


@dataclass(frozen=True, slots=True)
class Method:
    """One way to an NVFP4 checkpoint.

    Attributes:
        name: what ``--method`` takes.
        title: one line for people.
        data_acts: what a calibration set can change under it.
        needs_set: whether it reads a calibration set at all.
    """

    name: MethodName
    title: str
    data_acts: DataActs
    needs_set: bool


METHODS: dict[str, Method] = {
    "gptq": Method(
        "gptq",
        "GPTQ: rounds each weight so that the layer's output error on the set is least",
        "weights",
        True,
    ),
    "max": Method(
        "max",
        "max calibration: the set gives one activation scale a linear layer, nothing else",
        "activation-scales",
        True,
    ),
    "rtn": Method("rtn", "round to nearest with constant activation scales: no data", "nothing", False),
}
