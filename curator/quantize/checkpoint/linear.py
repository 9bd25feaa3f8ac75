"""One quantised linear layer, whatever the layout it is stored in."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

from curator._errors import InputError
from curator.quantize.checkpoint.patterns import Layout
from curator.quantize.checkpoint.row_chunks import row_chunks
from curator.quantize.checkpoint.stated_groups import Group
from curator.quantize.checkpoint.tensors import Tensors
from curator.quantize.e2m1 import BLOCK, E2M1_MAX, E4M3_MAX, unpack_e2m1

Format = Literal["nvfp4", "fp8"]
InputFormat = Literal["none", "nvfp4", "fp8-tensor", "fp8-token"]
Role = Literal["weight", "block_scale", "global_scale", "input_scale", "pre_scale"]

# The names of an NVFP4 linear's tensors.
LEAVES: dict[Layout, dict[Role, str]] = {
    "compressed-tensors": {
        "weight": "weight_packed",
        "block_scale": "weight_scale",
        "global_scale": "weight_global_scale",
        "input_scale": "input_global_scale",
    },
    "modelopt": {
        "weight": "weight",
        "block_scale": "weight_scale",
        "global_scale": "weight_scale_2",
        "input_scale": "input_scale",
        "pre_scale": "pre_quant_scale",
    },
}
# FP8 is stored alike in both; a block-wise scale has at times a name that says inverse, though it is a multiplier.
FP8_LEAVES: dict[Role, tuple[str, ...]] = {
    "weight": ("weight",),
    "block_scale": ("weight_scale", "weight_scale_inv"),
    "input_scale": ("input_scale",),
}
_NEEDED: dict[Format, tuple[Role, ...]] = {"nvfp4": ("block_scale", "global_scale"), "fp8": ("block_scale",)}
# Amax of a tensor over the largest number that E2M1 x E4M3 can hold.
FULL_RANGE = E2M1_MAX * E4M3_MAX


class QuantisedLinear:
    """A linear layer whose weight is stored in NVFP4 or FP8; tensors are read when asked for.

    Args:
        tensors: the checkpoint's.
        name: module name.
        format: of the weight.
        layout: of its tensors' names and of the convention of its global scales.
        group: what the configuration says of it, if anything.
    """

    def __init__(self, tensors: Tensors, name: str, format: Format, layout: Layout, group: Group | None) -> None:
        self.name = name
        self.format = format
        self.layout = layout
        self.group = group
        self._tensors = tensors

    def tensor_name(self, role: Role) -> str | None:
        """The full name of a tensor; ``None`` when the checkpoint lacks it."""
        found = [name for name in self._candidates(role) if name in self._tensors]
        return found[0] if found else None

    def expected_name(self, role: Role) -> str:
        """The full name that a tensor has, or should have."""
        return self.tensor_name(role) or self._candidates(role)[0]

    def _candidates(self, role: Role) -> list[str]:
        if self.format == "nvfp4":
            leaves: tuple[str, ...] = (LEAVES[self.layout][role],) if role in LEAVES[self.layout] else ()
        else:
            leaves = FP8_LEAVES.get(role, ())
        return [f"{self.name}.{leaf}" for leaf in leaves]

    def stored(self, role: Role) -> Tensor | None:
        """A tensor as it is stored."""
        name = self.tensor_name(role)
        return None if name is None else self._tensors[name]

    @property
    def shape(self) -> tuple[int, int]:
        """Output and input features."""
        rows, columns = self._tensors.shape(self.expected_name("weight"))
        return rows, columns * 2 if self.format == "nvfp4" else columns

    @property
    def needs_input_scale(self) -> bool:
        """Whether a server looks for a stored activation scale."""
        return self.group is not None and self.group.activations == "static"

    @property
    def quantises_input(self) -> bool:
        """Whether the configuration has the layer's input quantised; without one, whether a scale is there."""
        if self.group is None:
            return self.tensor_name("input_scale") is not None
        return self.group.activations != "none"

    @property
    def input_format(self) -> InputFormat:
        """How the layer's input is quantised."""
        if not self.quantises_input:
            return "none"
        bits = self.group.input_bits if self.group else 4 if self.format == "nvfp4" else 8
        if bits == 4:
            return "nvfp4"
        return "fp8-token" if self.group and self.group.activations == "dynamic" else "fp8-tensor"

    def input_scale(self) -> Tensor | None:
        """float32 of one element: of NVFP4 inputs a divisor, 2688 / amax, of FP8 ones a multiplier, amax / 448."""
        if self.tensor_name("input_scale") is None:
            return None
        scale = self._number("input_scale")
        return 1 / scale if self.layout == "modelopt" and self.input_format == "nvfp4" else scale

    def divisor(self) -> Tensor:
        """The NVFP4 weight's global scale as compressed-tensors has it, 2688 / amax: float32 [1]."""
        scale = self._number("global_scale")
        return 1 / scale if self.layout == "modelopt" else scale

    def multiplier(self) -> Tensor:
        """The NVFP4 weight's global scale as ModelOpt has it, amax / 2688: float32 [1]."""
        scale = self._number("global_scale")
        return scale if self.layout == "modelopt" else 1 / scale

    def weight(self) -> Tensor:
        """The weight that is stored, float32 [out, in].

        Columns that ModelOpt's AWQ scales in the input (``pre_quant_scale``) are scaled here instead.

        Raises:
            InputError: a scale is missing or does not fit.
        """
        weight = torch.empty(self.shape, dtype=torch.float32)
        for begin, end in row_chunks(self.shape):
            weight[begin:end] = self.rows(begin, end)
        return weight

    def rows(self, begin: int, end: int) -> Tensor:
        """Some rows of `weight`."""
        if hindrance := self.hindrance():
            raise InputError(f"{self._tensors.folder}: {hindrance}; run `curate verify`")
        if self.format == "fp8":
            return _fp8_rows(self._read("weight"), self._read("block_scale"), begin, end)
        values = unpack_e2m1(self._read("weight")[begin:end])
        # In the order of the libraries: first the two scales, then the value.
        block = self._read("block_scale")[begin:end].to(torch.float32)
        scale = block * self.multiplier() if self.layout == "modelopt" else block / self.divisor()
        values *= scale.repeat_interleave(BLOCK, dim=-1)
        pre_scale = self.stored("pre_scale")
        return values if pre_scale is None else values * pre_scale.to(torch.float32).reshape(1, -1)

    def hindrance(self) -> str:
        """Why the weight cannot be dequantised, by names, types and shapes alone; empty when it can."""
        for role in _NEEDED[self.format]:
            if self.tensor_name(role) is None:
                return f"{self.expected_name(role)} is missing"
        rows, columns = self.shape
        block = self._tensors.shape(self.expected_name("block_scale"))
        if self.format == "fp8":
            fits = math.prod(block) in (1, rows) or _are_blocks(block, (rows, columns))
        else:
            numbers = math.prod(self._tensors.shape(self.expected_name("global_scale")))
            pre_scale = self.tensor_name("pre_scale")
            before = columns if pre_scale is None else math.prod(self._tensors.shape(pre_scale))
            whole = columns % BLOCK == 0 and block == (rows, columns // BLOCK)
            fits = whole and numbers == 1 and before == columns
        return "" if fits else f"a scale of {self.name} does not fit its weight"

    def _number(self, role: Role) -> Tensor:
        tensor = self._read(role)
        if tensor.numel() != 1:
            raise InputError(f"{self._tensors.folder}: {self.expected_name(role)} is not one number")
        return tensor.to(torch.float32).reshape(1)

    def _read(self, role: Role) -> Tensor:
        tensor = self.stored(role)
        if tensor is None:
            raise InputError(f"{self._tensors.folder}: {self.expected_name(role)} is missing; run `curate verify`")
        return tensor


def _are_blocks(scale: tuple[int, ...], weight: tuple[int, int]) -> bool:
    """Whether a scale's shape can be that of blocks of a weight."""
    return len(scale) == 2 and 0 < scale[0] <= weight[0] and 0 < scale[1] <= weight[1]


def _fp8_rows(weight: Tensor, scale: Tensor, begin: int, end: int) -> Tensor:
    """Values times the scale of the tensor, of their row, or of their block."""
    values, scale = weight[begin:end].to(torch.float32), scale.to(torch.float32)
    if scale.numel() == 1:
        return values * scale.reshape(1, 1)
    if scale.numel() == weight.shape[0]:
        return values * scale.reshape(-1, 1)[begin:end]
    heights, widths = (-(-size // blocks) for size, blocks in zip(weight.shape, scale.shape, strict=True))
    grid = scale.repeat_interleave(heights, 0)[begin:end].repeat_interleave(widths, 1)
    return values * grid[:, : weight.shape[1]]
