"""NVFP4 and FP8 by their definitions, in numpy and float64, sharing no code with the product."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Float64 = NDArray[np.float64]

# Both formats written out, a value's place being its bit pattern: an even place has an even mantissa.
E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
E4M3 = np.array(
    [m / 8 * 2.0**-6 for m in range(8)]
    + [(1 + m / 8) * 2.0 ** (e - 7) for e in range(1, 16) for m in range(8) if (e, m) != (15, 7)]
)


def nearest(grid: Float64, values: Float64) -> tuple[Float64, NDArray[np.bool_]]:
    """The nearest of the grid, ties to even, the largest beyond the end; and what lies within 1e-6 of a tie."""
    inside = np.minimum(np.abs(values), grid[-1])
    above = np.clip(np.searchsorted(grid, inside), 1, len(grid) - 1)
    middle = (grid[above] + grid[above - 1]) / 2
    upper = np.where(inside == middle, above % 2 == 0, inside > middle)
    return np.copysign(grid[np.where(upper, above, above - 1)], values), np.abs(inside - middle) < 1e-6 * middle


def reference(x: Tensor, global_scale: float) -> tuple[Float64, NDArray[np.bool_]]:
    """NVFP4 by its definition, in float64; and which values another rounding of float32 may move by a step."""
    blocks = x.double().numpy().reshape(*x.shape[:-1], -1, 16)
    divisor = float(np.float32(global_scale))
    scale, scale_tie = nearest(E4M3, divisor * np.abs(blocks).max(-1, keepdims=True) / 6)
    scale /= divisor
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(scale == 0, 0.0, blocks / scale)
    values, tie = nearest(E2M1, scaled)
    return (values * scale).reshape(x.shape), (tie | scale_tie).reshape(x.shape)


def decoded(packed: Tensor, block_scale: Tensor, divisor: float) -> Float64:
    """The weight of nibbles, the low one first, and of E4M3 scales by their bit patterns."""
    nibbles = packed.numpy()
    pairs = np.stack([nibbles & 15, nibbles >> 4], -1).reshape(len(nibbles), -1)
    values = np.where(pairs & 8, -1, 1) * E2M1[pairs & 7]
    scale = E4M3[block_scale.view(torch.uint8).numpy()] / divisor
    return values * np.repeat(scale, 16, axis=-1)
