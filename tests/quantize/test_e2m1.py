from __future__ import annotations

import math

import pytest
import torch
from compressed_tensors.compressors.nvfp4.base import NVFP4PackedCompressor
from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
from compressed_tensors.quantization import QuantizationScheme
from compressed_tensors.quantization.quant_scheme import NVFP4
from compressed_tensors.utils.impl_backend import ImplBackend
from torch import Tensor

from curator.quantize.e2m1 import (
    E2M1_VALUES,
    dequantize_weight,
    round_to_e2m1,
    unpack_e2m1,
)

GRID = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def bits(x: Tensor) -> Tensor:
    return x.contiguous().view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()])


def library_cast(x: Tensor) -> Tensor:
    # By name: the dispatcher would give our own backend once a test has registered it.
    result: Tensor = ImplBackend.call("cast_to_fp4", x.clone())
    return result


def nearest_by_hand(x: float) -> float:
    """Nearest of the grid; a tie goes to the value whose mantissa bit is 0 (even index)."""
    best = min(range(8), key=lambda i: (abs(min(abs(x), 8) - GRID[i]), i % 2))
    return math.copysign(GRID[best], x)


def test_ties_go_to_the_even_mantissa() -> None:
    ties = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])
    even = torch.tensor([0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0])
    assert torch.equal(round_to_e2m1(ties), even)
    assert torch.equal(round_to_e2m1(-ties), -even)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_rounding_is_bit_equal_to_the_library(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    ties = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 6.0, 0.0], dtype=dtype)
    around = torch.cat([ties, torch.nextafter(ties, ties + 1), torch.nextafter(ties, ties - 1)])
    x = torch.cat(
        [
            around,
            -around,
            torch.linspace(-8, 8, 200_001).to(dtype),
            (torch.randn(200_000, generator=generator) * 3).to(dtype),
            torch.tensor([1e-30, -1e-30, 1e4, -1e4], dtype=dtype),
        ]
    )
    assert torch.equal(bits(round_to_e2m1(x)), bits(library_cast(x)))


def test_every_bfloat16_is_rounded_as_by_hand() -> None:
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(torch.bfloat16)
    every = every[torch.isfinite(every)]
    expected = torch.tensor([nearest_by_hand(float(value)) for value in every])
    assert torch.equal(round_to_e2m1(every).float(), expected)


def test_infinity_saturates_and_nan_stays_nan() -> None:
    inf = float("inf")
    rounded = round_to_e2m1(torch.tensor([inf, -inf, float("nan")]))
    assert rounded[:2].tolist() == [6.0, -6.0]
    assert torch.isnan(rounded[2])


def test_nibbles_low_first_and_sign_on_top() -> None:
    packed = torch.tensor([[0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]], dtype=torch.uint8)
    assert unpack_e2m1(packed).tolist() == [list(E2M1_VALUES)]


def test_dequantised_weight_by_hand() -> None:
    # Row 0: 6 x 448 / 2688 = 1 in the first column; row 1: a block scale of 0 makes a zero block.
    packed = torch.zeros((2, 8), dtype=torch.uint8)
    packed[0, 0] = 0x17  # 6 and 0.5
    packed[0, 7] = 0xF0  # 0 and -6
    packed[1] = 0x77
    scale = torch.tensor([[448.0], [0.0]]).to(torch.float8_e4m3fn)
    weight = dequantize_weight(packed, scale, torch.tensor([2688.0]))
    assert weight[0, 0] == 1.0
    assert weight[0, 15] == -1.0
    assert weight[0, 1] == pytest.approx(0.5 / 6, rel=1e-7)
    assert weight[0, 2:15].abs().sum() == 0
    assert torch.equal(weight[1], torch.zeros(16))


def random_packed(rows: int, columns: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    packed = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, generator=generator)
    scale = (torch.rand((rows, columns // 16), generator=generator) * 448).to(torch.float8_e4m3fn)
    return packed, scale, torch.rand(1, generator=generator) * 5000 + 1


@pytest.mark.parametrize("seed", range(5))
def test_dequantised_weight_equals_the_librarys(seed: int) -> None:
    packed, scale, global_scale = random_packed(48, 96, seed)
    state = {"weight_packed": packed, "weight_scale": scale, "weight_global_scale": global_scale}
    scheme = QuantizationScheme(targets=["Linear"], **NVFP4)
    library = NVFP4PackedCompressor.decompress(state, scheme)["weight"]
    ours = dequantize_weight(packed, scale, global_scale)
    # The library ends in BF16; before that last rounding both are float32.
    assert torch.equal(ours.to(library.dtype), library)


@pytest.mark.parametrize("seed", range(5))
def test_dequantised_weight_equals_the_librarys_in_float32(seed: int) -> None:
    from compressed_tensors.quantization.lifecycle.forward import dequantize

    packed, scale, global_scale = random_packed(48, 96, seed)
    library = dequantize(
        unpack_e2m1(packed),
        scale.float(),
        args=NVFP4["weights"],
        dtype=torch.float32,
        global_scale=global_scale,
    )
    assert torch.equal(bits(dequantize_weight(packed, scale, global_scale)), bits(library))


def test_packing_by_the_library_unpacks_to_the_same_values() -> None:
    x = round_to_e2m1(torch.randn(16, 64, generator=torch.Generator().manual_seed(3)) * 3)
    assert torch.equal(bits(unpack_e2m1(pack_fp4_to_uint8(x))), bits(x))
