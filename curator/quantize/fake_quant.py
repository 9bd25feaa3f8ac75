"""Quantised and given back at once: the values that a kernel would compute with, in the model's own dtype.

All arithmetic is in float32, whatever the dtype of the values, as in the FP4 and FP8 kernels. compressed-tensors
takes a sixth of a block's largest value in the dtype of the activations, so that under BF16 its block scales are
rounded twice, and some are a step of E4M3 away from a kernel's (tests/quantize/test_fake_quant.py counts them).
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from curator.quantize.e2m1 import BLOCK, E2M1_MAX, E4M3_MAX, round_to_e2m1

InputFormat = Literal["nvfp4", "fp8-tensor", "fp8-token"]
# Amax of a tensor over the largest number that E2M1 x E4M3 can hold.
GLOBAL = E2M1_MAX * E4M3_MAX


class InputQuantizer:
    """How the input of a linear layer is quantised each time that the layer runs.

    Args:
        format: ``nvfp4``, blocks of 16 with scales made on the fly; ``fp8-tensor``, E4M3 with one stored scale;
            ``fp8-token``, E4M3 with a scale a token, made on the fly.
        scale: float32, of one element. Of ``nvfp4`` the stored global scale, a divisor (2688 / calibrated amax);
            of ``fp8-tensor`` a multiplier (calibrated amax / 448); of ``fp8-token`` there is none.
        pre_scale: [features], what the layer multiplies its input with before it is quantised (ModelOpt's AWQ),
            for a weight that is multiplied with it too: the input is divided by it again.
    """

    def __init__(self, format: InputFormat, scale: Tensor | None, pre_scale: Tensor | None = None) -> None:
        assert scale is not None or format == "fp8-token", format
        self.format = format
        self._scale = scale
        self._pre_scale = None if pre_scale is None else pre_scale.to(torch.float32)

    def __call__(self, x: Tensor) -> Tensor:
        """Quantise and dequantise activations [..., features]; same shape and dtype."""
        if self._pre_scale is None:
            return self._quantised(x)
        self._pre_scale = self._pre_scale.to(x.device)
        return (self._quantised(x.to(torch.float32) * self._pre_scale) / self._pre_scale).to(x.dtype)

    def _quantised(self, x: Tensor) -> Tensor:
        if self._scale is None:
            return fp8_by_row(x)
        # Moved once: layers are made before the model goes to its device.
        self._scale = self._scale.to(x.device)
        return nvfp4(x, self._scale) if self.format == "nvfp4" else _fp8(x, self._scale)

    def attach(self, module: nn.Module) -> RemovableHandle:
        """Have ``module`` quantise its first argument whenever it is called, until the handle is removed."""

        def before(_module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
            return (self(arguments[0]), *arguments[1:])

        return module.register_forward_pre_hook(before)


def nvfp4(x: Tensor, global_scale: Tensor) -> Tensor:
    """Values in E2M1 with a block scale in E4M3: activations as a W4A4 kernel takes them, or rounded weights.

    A block's scale is E4M3(global scale x amax / 6), at most 448: what is larger than the global scale allows for
    saturates. A block whose scale rounds to zero is zero.

    Args:
        x: floating [..., features], features a multiple of 16.
        global_scale: float32 of one element, a divisor (2688 / amax).

    Returns:
        Same shape and dtype as ``x``; before the rounding to that dtype each value is E2M1 x E4M3 / global_scale.
    """
    # Counted, not -1: an expert that no token is for is given no rows.
    blocks = x.to(torch.float32).reshape(*x.shape[:-1], x.shape[-1] // BLOCK, BLOCK)
    scale = blocks.abs().amax(dim=-1, keepdim=True) / E2M1_MAX * global_scale
    scale = scale.clamp_(max=E4M3_MAX).to(torch.float8_e4m3fn).to(torch.float32) / global_scale
    # 0 / 0 would be NaN. Nothing of a block with such a scale reaches half of E2M1's least value.
    quantised = round_to_e2m1(torch.where(scale == 0, 0.0, blocks / scale))
    return (quantised * scale).reshape(x.shape).to(x.dtype)


def fp8_by_row(x: Tensor) -> Tensor:
    """Values in E4M3 with a scale of its own for each row of the last dimension: a token, or an output channel."""
    scale = x.to(torch.float32).abs().amax(dim=-1, keepdim=True) / E4M3_MAX
    return _fp8(x, torch.where(scale == 0, 1.0, scale))


def _fp8(x: Tensor, scale: Tensor) -> Tensor:
    """Values in E4M3 under a scale, a multiplier; what is beyond 448 x scale saturates."""
    scaled = (x.to(torch.float32) / scale).clamp_(-E4M3_MAX, E4M3_MAX)
    return (scaled.to(torch.float8_e4m3fn).to(torch.float32) * scale).to(x.dtype)
