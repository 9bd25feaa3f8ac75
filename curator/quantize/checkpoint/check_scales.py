"""Whether every scale is there, fits its weight, and is a number that a server can compute with."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.linear import FULL_RANGE, QuantisedLinear, Role
from curator.quantize.checkpoint.opened import Checkpoint
from curator.quantize.e2m1 import BLOCK, E2M1_MAX

_EXPERT = re.compile(r"(?P<experts>.*\bexperts)\.(?P<number>\d{1,9})\.")
# Below it E4M3 has fewer than three bits of mantissa.
_E4M3_NORMAL = 2.0**-6
_FEW_BITS = 0.01
# No weight and no activation of a language model is beyond these; under the other convention they usually are.
_WEIGHT_LIMIT = 1e3
_INPUT_LIMIT = 2e5
_LEAST_WEIGHT = 1e-9
_WIDTH = 128
WIDTH_WORDS = f"a width that is no multiple of {_WIDTH}; some FP4 kernels pad it or refuse it"
_GLOBALS: tuple[Role, ...] = ("global_scale", "input_scale")


def check_scales(checkpoint: Checkpoint, found: Findings) -> None:
    """Check every scale of every quantised layer."""
    missing: list[str] = []
    for linear in checkpoint.linears.values():
        if 0 in linear.shape:
            found.fault(f"{linear.name} has {linear.shape[0]} rows and {linear.shape[1]} columns")
            continue
        if linear.format == "nvfp4":
            _check_shape(linear, found)
            _check_block_scale(linear, found)
        else:
            _check_fp8_scale(linear, found)
        missing += _missing(linear)
        for role in _GLOBALS:
            _check_global(linear, role, found)
        if linear.tensor_name("input_scale") and linear.group and not linear.quantises_input:
            found.doubt("has an activation scale, which the configuration does not use", linear.name)
    # The sum stands first: of hundreds of experts only the first ten lines are shown.
    for line in _unseen_experts(checkpoint, missing) + [f"{name} is missing" for name in missing]:
        found.fault(line)


def _missing(linear: QuantisedLinear) -> list[str]:
    roles: list[Role] = ["block_scale", "global_scale"] if linear.format == "nvfp4" else ["block_scale"]
    if linear.needs_input_scale:
        roles.append("input_scale")
    return [linear.expected_name(role) for role in roles if linear.tensor_name(role) is None]


def _unseen_experts(checkpoint: Checkpoint, missing: list[str]) -> list[str]:
    """Experts without an activation scale, counted a layer: no calibration token reached them."""
    all_of: dict[str, set[int]] = {}
    for name in checkpoint.linears:
        if expert := _EXPERT.match(name):
            all_of.setdefault(expert["experts"], set()).add(int(expert["number"]))
    without: dict[str, set[int]] = {}
    for name in missing:
        expert = _EXPERT.match(name)
        if expert and name.rpartition(".")[2] in ("input_scale", "input_global_scale"):
            without.setdefault(expert["experts"], set()).add(int(expert["number"]))
    lines = []
    for experts, numbers in sorted(without.items()):
        shown = ", ".join(map(str, sorted(numbers)[:8])) + (", ..." if len(numbers) > 8 else "")
        lines.append(
            f"{experts}: {len(numbers)} of {len(all_of[experts])} experts ({shown}) have no activation scale: "
            "no calibration token reached them"
        )
    return lines


def _check_shape(linear: QuantisedLinear, found: Findings) -> None:
    rows, columns = linear.shape
    if columns % BLOCK:
        found.fault(f"{linear.name} has {columns} input features, which is no multiple of {BLOCK}")
    elif columns % _WIDTH or rows % _WIDTH:
        found.doubt(WIDTH_WORDS, linear.name)


def _check_block_scale(linear: QuantisedLinear, found: Findings) -> None:
    scale, name = linear.stored("block_scale"), linear.expected_name("block_scale")
    if scale is None:
        return
    rows, columns = linear.shape
    if tuple(scale.shape) != (rows, columns // BLOCK):
        found.fault(f"{name} has shape {tuple(scale.shape)}, which does not fit its weight")
        return
    if scale.dtype != torch.float8_e4m3fn:
        found.fault(f"{name} is {str(scale.dtype).removeprefix('torch.')}, not float8_e4m3fn")
        return
    value = scale.to(torch.float32)
    if _bad_number(name, value, found, zero=True):
        return
    if not bool(value.any()):
        found.doubt("all its block scales are 0: the whole layer is zero", linear.name)
        return
    _check_zero_blocks(linear, value, found)
    few = (value < _E4M3_NORMAL) & (value > 0)
    if float(few.float().mean()) > _FEW_BITS:
        found.doubt("more than 1 % of its block scales are so small that E4M3 has few bits for them", linear.name)


def _check_zero_blocks(linear: QuantisedLinear, scale: Tensor, found: Findings) -> None:
    """A block scale of 0 is right for a block of zeros; over other values it has lost them."""
    rows, blocks = torch.nonzero(scale == 0, as_tuple=True)
    packed = linear.stored("weight")
    if len(rows) == 0 or packed is None:
        return
    # The sign of a zero is its top bit.
    bytes_of = packed.reshape(packed.shape[0], -1, BLOCK // 2)[rows, blocks]
    if bool((bytes_of & 0x77).any()):
        found.doubt("block scales of 0 over values that are not 0, which dequantise to 0", linear.name)


def _check_fp8_scale(linear: QuantisedLinear, found: Findings) -> None:
    scale, name = linear.stored("block_scale"), linear.expected_name("block_scale")
    if scale is None:
        return
    if linear.hindrance() or not scale.dtype.is_floating_point:
        found.fault(f"{name} has shape {tuple(scale.shape)} and type {scale.dtype}, which does not fit its weight")
        return
    _bad_number(name, scale.to(torch.float32), found)


def _check_global(linear: QuantisedLinear, role: Role, found: Findings) -> None:
    scale = linear.stored(role)
    if scale is None:
        return
    name = linear.expected_name(role)
    if scale.numel() != 1 or not scale.dtype.is_floating_point:
        found.fault(f"{name} has shape {tuple(scale.shape)} and type {scale.dtype}, not one number")
        return
    if _bad_number(name, scale.to(torch.float32), found) or linear.format != "nvfp4":
        return
    if scale.dtype != torch.float32:
        kind = str(scale.dtype).removeprefix("torch.")
        found.doubt(f"its {name.rpartition('.')[2]} is stored in {kind}, the format has float32", linear.name)
    _check_convention(linear, role, found)


def _bad_number(name: str, value: Tensor, found: Findings, *, zero: bool = False) -> bool:
    """Tell of values that are no finite positive number; ``zero`` allows 0."""
    if not bool(torch.isfinite(value).all()):
        found.fault(f"{name} is not finite")
    elif bool((value < 0).any()) or (not zero and bool((value == 0).any())):
        found.fault(f"{name} is not positive")
    else:
        return False
    return True


def _check_convention(linear: QuantisedLinear, role: Role, found: Findings) -> None:
    """A divisor read as a multiplier, or the reverse, gives values that no model has."""
    if role == "input_scale":
        if linear.input_format != "nvfp4":
            return
        stored = float(linear.input_scale() or 1)
        own, other = FULL_RANGE / stored, FULL_RANGE * stored
        if own > _INPUT_LIMIT > other:
            found.doubt(f"stands for activations up to {own:.3g}; is it of the other convention?", linear.name)
        return
    block = linear.stored("block_scale")
    if block is None or block.dtype != torch.float8_e4m3fn:
        return
    largest = E2M1_MAX * float(block.to(torch.float32).nan_to_num(0).max())
    own, other = largest * float(linear.multiplier()), largest * float(linear.divisor())
    if own > _WEIGHT_LIMIT > other:
        kind = "divisor" if linear.layout == "compressed-tensors" else "multiplier"
        found.fault(
            f"{linear.expected_name(role)} is no {kind} as {linear.layout} has it: weights up to {own:.3g}, "
            f"under the other convention up to {other:.3g}"
        )
    elif 0 < own < _LEAST_WEIGHT:
        found.doubt(f"its scales make all weights less than {own:.3g}", linear.name)
