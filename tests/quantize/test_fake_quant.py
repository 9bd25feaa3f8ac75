from __future__ import annotations

import numpy as np
import pytest
import torch
from compressed_tensors.quantization import QuantizationArgs
from compressed_tensors.quantization.lifecycle.forward import fake_quantize
from compressed_tensors.quantization.quant_scheme import FP8_DYNAMIC, NVFP4
from compressed_tensors.quantization.utils.helpers import compute_dynamic_scales_and_zp
from nvfp4_reference import E4M3, nearest, reference
from torch import Tensor, nn

from curator.quantize.fake_quant import GLOBAL, InputQuantizer, fp8_by_row, nvfp4


def activations(kind: str, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn((7, 12, 256), generator=generator)
    if kind == "outliers":
        # Few channels a thousand times the others, as after a norm; single values far beyond any scale.
        x[..., [3, 77, 200]] *= 1000
        x[0, 0, 5], x[1, 2, 40] = 3e4, -1e9
    elif kind == "zeros":
        x[0], x[1, 1, 16:32], x[2, 3, ::2] = 0, 0, -0.0
    elif kind == "tiny":
        x *= 10.0 ** torch.linspace(-38, 2, 12)[None, :, None]
    return x


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", ["plain", "outliers", "zeros", "tiny"])
@pytest.mark.parametrize("amax", [GLOBAL, 4.3, 0.05, 5000.0])
def test_activations_equal_the_definition(kind: str, dtype: torch.dtype, amax: float) -> None:
    x = activations(kind, int(amax)).to(dtype)
    expected, unsure = reference(x, GLOBAL / amax)
    ours = nvfp4(x, torch.tensor([GLOBAL / amax]))
    assert ours.dtype == dtype
    assert ours.shape == x.shape
    sure = ~unsure
    # BF16 values and their sixths lie on ties more often.
    assert sure.mean() > (0.9 if dtype == torch.bfloat16 else 0.99)
    rounding = 2.0**-8 if dtype == torch.bfloat16 else 3e-7
    np.testing.assert_allclose(ours.double().numpy()[sure], expected[sure], rtol=rounding, atol=1e-45)
    # What float32 rounds the other way at a tie is a step of E2M1 or of E4M3 away, never more.
    far = np.abs(ours.double().numpy() - expected) > np.maximum(np.abs(x.double().numpy()), 1e-37)
    assert not far[unsure].any()


def test_beyond_the_stored_scale_everything_saturates_at_the_calibrated_amax() -> None:
    x = torch.tensor([[3.0, -1e30, 0.4, 1e30] * 4, [1.0] * 16])
    # Calibrated amax 1: the block scale stops at 448, which stands for 1 / 6.
    expected = torch.tensor([[1.0, -1.0, 2.0 / 6, 1.0] * 4, [1.0] * 16])
    torch.testing.assert_close(nvfp4(x, torch.tensor([GLOBAL])), expected, rtol=1e-6, atol=0)


def test_no_rows_are_no_rows() -> None:
    nothing = torch.zeros((0, 32))
    for quantize in (InputQuantizer("nvfp4", torch.ones(1)), InputQuantizer("fp8-token", None)):
        assert quantize(nothing).shape == (0, 32)


def test_infinity_saturates_and_nan_is_not_hidden() -> None:
    x = torch.ones((2, 16))
    x[0, 0], x[1, 0] = float("inf"), float("nan")
    ours = nvfp4(x, torch.tensor([GLOBAL]))
    assert ours[0, 0] == pytest.approx(1.0)
    assert torch.isfinite(ours[0]).all()
    assert torch.isnan(ours[1, 0])


def library(x: Tensor, args: QuantizationArgs, global_scale: Tensor | None) -> Tensor:
    scale, zero = compute_dynamic_scales_and_zp(x, args, nn.Module(), global_scale=global_scale)
    quantised: Tensor = fake_quantize(x, scale, zero, args, global_scale=global_scale)
    return quantised.to(x.dtype)


@pytest.mark.parametrize("kind", ["plain", "outliers", "zeros", "tiny"])
def test_in_float32_the_library_does_the_same(kind: str) -> None:
    for amax in (GLOBAL, 4.3, 900.0):
        x, divisor = activations(kind, 5), torch.tensor([GLOBAL / amax])
        assert torch.equal(nvfp4(x, divisor), library(x, NVFP4["input_activations"], divisor))


def test_in_bfloat16_the_library_rounds_block_scales_twice_and_we_do_not() -> None:
    x, amax = activations("plain", 5).bfloat16(), 4.3
    divisor = torch.tensor([GLOBAL / amax])
    expected, unsure = reference(x, GLOBAL / amax)
    wrong = []
    for values in (nvfp4(x, divisor), library(x, NVFP4["input_activations"], divisor)):
        close = np.isclose(values.double().numpy(), expected, rtol=2.0**-8, atol=0) | unsure
        wrong.append(1 - close.reshape(-1, 16).all(-1).mean())
    assert wrong[0] == 0
    assert 0.01 < wrong[1] < 0.2


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_fp8_by_row_and_by_tensor(dtype: torch.dtype) -> None:
    x = activations("zeros", 3).to(dtype)
    values = x.double().numpy()
    rows = np.abs(values).max(-1, keepdims=True) / 448
    safe = np.where(rows == 0, 1, rows)
    for ours, scale in (
        (fp8_by_row(x), safe),
        (InputQuantizer("fp8-token", None)(x), safe),
        # A static scale that two of a hundred values are beyond.
        (InputQuantizer("fp8-tensor", torch.tensor([2.0 / 448]))(x), np.float64(np.float32(2.0 / 448))),
    ):
        quantised, unsure = nearest(E4M3, values / scale)
        assert unsure.mean() < 0.02
        rounding = 2.0**-8 if dtype == torch.bfloat16 else 3e-7
        np.testing.assert_allclose(ours.double().numpy()[~unsure], (quantised * scale)[~unsure], rtol=rounding)
    assert InputQuantizer("fp8-tensor", torch.tensor([2.0 / 448]))(x).abs().max() == 2.0
    if dtype == torch.float32:
        assert torch.equal(fp8_by_row(x), library(x, FP8_DYNAMIC["input_activations"], None))


def test_an_input_that_the_layer_scales_first_is_quantised_as_scaled() -> None:
    # ModelOpt's AWQ: channels times a factor, so that an outlier no longer sets its block's scale.
    x, factor = torch.ones((3, 16)), torch.ones(16)
    x[:, 0], factor[0] = 512.0, 1 / 512
    scale = torch.tensor([GLOBAL / 512])
    plain, scaled = (InputQuantizer("nvfp4", scale, one)(x) for one in (None, factor))
    assert plain[:, 1:].abs().max() == 0
    torch.testing.assert_close(scaled, x, rtol=0.1, atol=0)
    assert scaled[0, 1] == nvfp4(torch.ones((1, 16)), scale)[0, 1]


def test_a_layer_computes_with_quantised_inputs_while_it_is_attached() -> None:
    torch.manual_seed(0)
    layer, x = nn.Linear(64, 32), activations("outliers", 1)[0, :, :64]
    plain = layer(x)
    expected, unsure = reference(x, GLOBAL / 2000)
    handle = InputQuantizer("nvfp4", torch.tensor([GLOBAL / 2000])).attach(layer)
    by_hand = expected @ layer.weight.detach().double().numpy().T + layer.bias.detach().double().numpy()
    rows = ~unsure.any(-1)
    assert rows.sum() > 5
    np.testing.assert_allclose(layer(x).detach().numpy()[rows], by_hand[rows], rtol=1e-4, atol=1e-3)
    handle.remove()
    assert torch.equal(layer(x), plain)
