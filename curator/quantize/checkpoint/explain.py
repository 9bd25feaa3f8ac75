"""Why a weight is far from the model's: the mistakes, and the changes on purpose, that leave a trace."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from curator._files import read_json
from curator.quantize.checkpoint.linear import QuantisedLinear
from curator.quantize.checkpoint.opened import Checkpoint
from curator.quantize.checkpoint.row_chunks import row_chunks

# What our own quantising leaves in the folder.
RECEIPT = "curate.json"
_SWEEPS = 3
# Factors of rows and columns fit a weight that has none only this little better than one factor for all does.
_SAME = 0.9
_MISORDERED = "the two values of each byte are in the wrong order (low nibble first is right)"
_SCALED = "its rows or columns are scaled, as AWQ and SmoothQuant do; compare by KL instead"


@dataclass(frozen=True, slots=True)
class Cause:
    """An explanation that brings the error back to that of rounding.

    Attributes:
        words: what it is, with the error that remains.
        kind: the same without numbers.
        is_fault: whether a server would compute wrongly.
    """

    words: str
    kind: str
    is_fault: bool


def explained(linear: QuantisedLinear, reference: Tensor, normal: float, *, folded: bool) -> Cause | None:
    """The first explanation under which the relative error is at most ``normal``.

    The first four million values are looked at: what there is to find is in all of the layer.

    Args:
        linear: the quantised layer.
        reference: its weight in the model, [out, in].
        normal: relative error, Frobenius norm.
        folded: whether other weights show that factors were moved between layers on purpose.
    """
    begin, end = next(row_chunks(linear.shape))
    ours, theirs = linear.rows(begin, end).double(), reference[begin:end].double()
    if linear.format == "nvfp4":
        stored = linear.divisor() if linear.layout == "compressed-tensors" else 1 / linear.multiplier()
        if (error := _error(ours * float(stored) ** 2, theirs)) <= normal:
            kind = "its global scale is of the other convention (divisor for multiplier)"
            return Cause(f"{kind}: read so, the error is {error:.3g}", kind, True)
        swapped = ours.reshape(len(ours), -1, 2).flip(-1).flatten(1)
        if (error := _error(swapped, theirs)) <= normal:
            return Cause(f"{_MISORDERED}: so, the error is {error:.3g}", _MISORDERED, True)
    error, factor = _error_but_for_factors(ours, theirs), _factor(ours, theirs, None)
    throughout = _error(ours * factor, theirs)
    if throughout <= normal and error > _SAME * throughout and not folded:
        kind = "a wrong global scale"
        return Cause(f"{kind}: it is {float(1 / factor):.4g} times what it should be throughout", kind, True)
    return Cause(f"{_SCALED}; but for that, the error is {error:.3g}", _SCALED, False) if error <= normal else None


def is_rotated(checkpoint: Checkpoint) -> bool:
    """Whether the weights were rotated before they were quantised, as far as the folder says.

    compressed-tensors lists rotations that are done at run time; those folded into the weights leave no trace but
    our own receipt.
    """
    own = checkpoint.stated.config.get("quantization_config")
    transform = own.get("transform_config") if isinstance(own, dict) else None
    if isinstance(transform, dict) and transform.get("config_groups"):
        return True
    file = checkpoint.folder / RECEIPT
    receipt = read_json(file) if file.is_file() else None
    method = str(receipt.get("method")) if isinstance(receipt, dict) else ""
    return any(name in method for name in ("spinquant", "quip"))


def _error(ours: Tensor, theirs: Tensor) -> float:
    error = float((ours - theirs).norm() / theirs.norm())
    return error if math.isfinite(error) else math.inf


def _factor(ours: Tensor, theirs: Tensor, dim: int | None) -> Tensor:
    """The factor with the least error: one for all, or one along each of the other dimension."""
    square, product = ours.square().sum(dim, keepdim=True), (ours * theirs).sum(dim, keepdim=True)
    return torch.where(square > 0, product / square, 1.0)


def _error_but_for_factors(ours: Tensor, theirs: Tensor) -> float:
    """The relative error after a factor for each row and one for each column, by alternating least squares."""
    by_row = torch.ones((len(ours), 1), dtype=ours.dtype)
    by_column = torch.ones((1, ours.shape[1]), dtype=ours.dtype)
    for _ in range(_SWEEPS):
        by_column = _factor(ours * by_row, theirs, 0)
        by_row = _factor(ours * by_column, theirs, 1)
    return _error(ours * by_row * by_column, theirs)
