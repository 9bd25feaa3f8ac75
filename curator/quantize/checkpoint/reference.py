"""How far each dequantised weight is from the model that it was made of."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from curator._progress import Advance, unseen
from curator.quantize.checkpoint.explain import Cause, explained, is_rotated
from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.linear import FULL_RANGE, QuantisedLinear
from curator.quantize.checkpoint.opened import Checkpoint, is_linear_weight, is_router
from curator.quantize.checkpoint.row_chunks import row_chunks
from curator.quantize.checkpoint.tensors import Tensors
from curator.quantize.e2m1 import BLOCK
from curator.quantize.fake_quant import fp8_by_row, nvfp4
from curator.quantize.linear_experts import own_name

# GPTQ moves weights on purpose: up to 1.9 times the error of rounding to the nearest value was seen (SmolLM2).
FAR = 3.0
# A weight that rounding alone has changed keeps its length to within a percent.
_FACTOR = 0.03
# Two weights that have nothing in common are at the square root of 2.
_UNRELATED = 0.5
# An explanation must leave less than this share of the error.
_BETTER = 0.8


@dataclass(frozen=True, slots=True)
class LayerError:
    """The relative error of one layer's weight.

    Attributes:
        layer: module name.
        format: ``nvfp4`` or ``fp8``.
        error: Frobenius norm of the difference over that of the reference.
        rounding: the same when the reference is rounded to the nearest values, scaled by its own amax.
        note: why the error is far beyond rounding, where that is known; empty otherwise.
    """

    layer: str
    format: str
    error: float
    rounding: float
    note: str = ""

    @property
    def is_far(self) -> bool:
        """Whether it is no rounding any more."""
        return self.error > FAR * self.rounding


def layer_errors(
    checkpoint: Checkpoint, reference: Path, found: Findings, advance: Advance = unseen
) -> list[LayerError]:
    """The error of every quantised layer that has a counterpart, the largest first.

    Args:
        checkpoint: opened.
        reference: folder of the model in BF16, FP16 or FP32.
        found: takes layers without a counterpart, and errors that rounding cannot make.
        advance: called with 1 for each layer done.

    Raises:
        InputError: the reference has no safetensors file.
    """
    errors = []
    with ExitStack() as stack:
        tensors = Tensors(reference, stack)
        _check_whole(checkpoint, tensors, found)
        folded = _are_factors_folded(checkpoint, tensors)
        for linear in checkpoint.linears.values():
            name = f"{_named_in(tensors, linear.name, found)}.weight"
            if name not in tensors or not tensors.dtype(name).startswith(("BF", "F16", "F32", "F64")):
                found.doubt(f"has no BF16 counterpart in {reference}, so it was not compared", linear.name)
            elif tensors.shape(name) != linear.shape:
                found.fault(
                    f"{linear.name} is {_by(linear.shape)}, in {reference} it is {_by(tensors.shape(name))}"
                )
            elif _is_readable(linear):
                error = _error(checkpoint, linear, tensors[name], folded, found)
                errors += [error] if error else []
            advance(1)
    return sorted(errors, key=lambda one: (-one.error, one.layer))


def _named_in(tensors: Tensors, module: str, found: Findings) -> str:
    """What the model calls a layer of the checkpoint."""
    other = own_name(f"{module}.weight", tensors).removesuffix(".weight")
    if other != module:
        found.doubt(
            "has another name in the model (w1, w2, w3 or gate, down, up); servers look for the model's", module
        )
    return other


def _is_readable(linear: QuantisedLinear) -> bool:
    """Whether the weight can be dequantised; what hinders it is told by the checks of the scales."""
    if linear.hindrance():
        return False
    scales = [linear.stored("block_scale")] + ([linear.multiplier()] if linear.format == "nvfp4" else [])
    return all(scale is not None and bool(torch.isfinite(scale.to(torch.float32)).all()) for scale in scales)


def _error(
    checkpoint: Checkpoint, linear: QuantisedLinear, reference: Tensor, folded: bool, found: Findings
) -> LayerError | None:
    squared = {"difference": 0.0, "reference": 0.0, "rounding": 0.0}
    product = 0.0
    amax = reference.abs().amax().to(torch.float32)
    divisor = FULL_RANGE / amax if amax else torch.ones(())
    filled = 0
    for begin, end in row_chunks(linear.shape):
        ours, theirs = linear.rows(begin, end), reference[begin:end].to(torch.float32)
        rounded = nvfp4(theirs, divisor) if linear.format == "nvfp4" else fp8_by_row(theirs)
        for key, values in (("difference", ours - theirs), ("reference", theirs), ("rounding", rounded - theirs)):
            squared[key] += float(values.square().sum(dtype=torch.float64))
        product += float((ours * theirs).sum(dtype=torch.float64))
        filled += _filled_blocks(ours, theirs) if linear.format == "nvfp4" else 0
    if filled:
        found.doubt("has blocks that are zero in the model and not here; GPTQ alone may do that", linear.name)
    if not all(map(math.isfinite, squared.values())):
        found.fault(f"{linear.name}: numbers that are not finite, in the checkpoint or in the reference")
        return None
    norm = math.sqrt(squared["reference"])
    if not norm:
        if squared["difference"]:
            found.fault(f"{linear.name}: all zero in the model, and not here; is it the model that was quantised?")
        return LayerError(linear.name, linear.format, 0.0, 0.0)
    error = LayerError(
        linear.name,
        linear.format,
        math.sqrt(squared["difference"]) / norm,
        math.sqrt(squared["rounding"]) / norm,
    )
    scaled = abs(product / squared["reference"] - 1) > _FACTOR
    if not error.is_far and not scaled:
        return error
    cause = explained(linear, reference, min(FAR * error.rounding, _BETTER * error.error), folded=folded)
    return _noted(checkpoint, error, cause, found)


def _filled_blocks(ours: Tensor, theirs: Tensor) -> int:
    ours, theirs = (weight.reshape(len(weight), -1, BLOCK) for weight in (ours, theirs))
    return int((~theirs.any(-1) & ours.any(-1)).sum())


def _noted(checkpoint: Checkpoint, error: LayerError, cause: Cause | None, found: Findings) -> LayerError:
    words = f"error {error.error:.3g}, where rounding makes {error.rounding:.3g}"
    note = cause.words if cause else ""
    if cause and cause.is_fault:
        found.fault(f"{error.layer}: {words}: {cause.words}")
    elif cause:
        found.doubt(f"differs from the model on purpose: {cause.kind}", error.layer)
    elif not error.is_far:
        pass
    elif is_rotated(checkpoint):
        note = "rotated, so not to be compared"
        found.doubt(note, error.layer)
    elif error.error > _UNRELATED:
        found.fault(f"{error.layer}: {words}; is the reference the model that was quantised?")
    else:
        found.doubt(f"an error more than {FAR:g} times that of rounding", error.layer)
    return LayerError(error.layer, error.format, error.error, error.rounding, note)


def _are_factors_folded(checkpoint: Checkpoint, tensors: Tensors) -> bool:
    """Whether a norm's weight is another than the model's: AWQ and SmoothQuant move factors there."""
    for name, tensor in checkpoint.rest():
        alike = tensor.ndim == 1 and name in tensors and tensors.shape(name) == tuple(tensor.shape)
        if alike and not torch.equal(tensor.to(torch.float32), tensors[name].to(torch.float32)):
            return True
    return False


def _check_whole(checkpoint: Checkpoint, tensors: Tensors, found: Findings) -> None:
    """Linears of the model that the checkpoint lacks altogether; a tied head may be left out."""
    unknown = (name.rpartition(".")[0] for name in checkpoint.parts.unknown)
    here = {f"{module}.weight" for module in (*checkpoint.linears, *checkpoint.parts.plain, *unknown)}
    for name in tensors:
        module = name.rpartition(".")[0]
        if not is_linear_weight(name, tensors.shape(name), tensors.dtype(name)) or is_router(module):
            continue
        tied = module.endswith("lm_head") and checkpoint.stated.tied is not False
        if own_name(name, here) not in here and not tied:
            found.fault(f"{module} is a layer of the model, the checkpoint has no weight of it")


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
