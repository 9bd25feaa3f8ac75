from __future__ import annotations

from typing import Any

import pytest
import torch
from compressed_tensors.quantization.quant_scheme import NVFP4
from compressed_tensors.utils.impl_backend import ImplBackend
from llmcompressor.modifiers.gptq import gptq_quantize
from torch import Tensor

from curator.quantize.cpu_kernels import (
    curate_cast_to_fp4_cpu,
    curate_gptq_block_update_cpu,
    register_cpu_kernels,
)


def block(batch: int, rows: int, width: int, seed: int) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """A weight block with zeros, signed zeros and outliers, and the upper Cholesky factor GPTQ uses."""
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn((batch, rows, width), generator=generator) * 0.05
    weight[0, 0], weight[0, 1, :16], weight[0, 2, 3], weight[0, 3, 5] = 0, 0, -0.0, 9.0
    inputs = torch.randn((batch, width, 2 * width), generator=generator)
    hessian = inputs @ inputs.transpose(1, 2) / width + 0.1 * torch.eye(width)
    hinv = torch.linalg.cholesky(torch.linalg.inv(hessian), upper=True)
    divisor = 2688 / weight.abs().amax(dim=(1, 2))
    scale = weight.unflatten(-1, (-1, 16)).abs().amax(-1) / 6 * divisor[:, None, None]
    scale = scale.to(torch.float8_e4m3fn).float()
    scale[scale == 0] = 0.125
    settings = {
        "scale": scale,
        "zero_point": torch.zeros_like(scale),
        "global_scale": divisor,
        "g_idx": (torch.arange(width, dtype=torch.int32) // 16).expand(batch, -1),
        "quant_args": NVFP4["weights"],
        "i1": 0,
    }
    return weight, hinv, settings


def results(function: Any, weight: Tensor, hinv: Tensor, settings: dict[str, Any]) -> list[Tensor]:
    outputs = [torch.zeros_like(weight) for _ in range(3)]
    function(weight.clone(), hinv, *outputs, **settings)
    return outputs


def eager(*arguments: Any, **settings: Any) -> Any:
    # By name, whatever is registered for dispatch.
    return ImplBackend.call("gptq_block_update", *arguments, **settings)


@pytest.mark.parametrize(
    ("batch", "rows", "width", "seed"),
    [(1, 64, 128, 0), (2, 48, 64, 1), (1, 1000, 32, 2), (1, 5, 128, 3), (3, 7, 16, 4)],
)
def test_gptq_block_is_bit_equal_to_the_eager_one(batch: int, rows: int, width: int, seed: int) -> None:
    arguments = block(batch, rows, width, seed)
    for ours, theirs in zip(
        results(curate_gptq_block_update_cpu, *arguments), results(eager, *arguments), strict=True
    ):
        assert torch.equal(ours.view(torch.int32), theirs.view(torch.int32))


def test_whole_quantize_weight_is_bit_equal_and_uses_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(9)
    weight = torch.randn((1, 96, 192), generator=generator)
    inputs = torch.randn((192, 500), generator=generator)
    hessian = (inputs @ inputs.T / 500)[None]
    divisor = (2688 / weight.abs().max()).reshape(1)
    scale = (weight.unflatten(-1, (-1, 16)).abs().amax(-1) / 6 * divisor).to(torch.float8_e4m3fn).float()

    def run() -> Tensor:
        quantised, _, fell_back = gptq_quantize.quantize_weight(
            weight.clone(), hessian.clone(), scale, torch.zeros_like(scale), divisor, NVFP4["weights"]
        )
        assert not fell_back.any()
        return quantised

    register_cpu_kernels()
    register_cpu_kernels()  # a second call is harmless
    ours = run()
    monkeypatch.setattr(gptq_quantize, "gptq_block_update", eager)
    assert torch.equal(ours.view(torch.int32), run().view(torch.int32))
    assert not torch.equal(ours, weight)


def test_other_schemes_are_left_to_the_library() -> None:
    register_cpu_kernels()
    weight, hinv, settings = block(1, 8, 16, 0)
    settings["quant_args"] = NVFP4["weights"].model_copy(update={"num_bits": 8})
    outputs = [torch.zeros_like(weight) for _ in range(3)]
    gptq_quantize.gptq_block_update(weight.clone(), hinv, *outputs, **settings)
    expected = [torch.zeros_like(weight) for _ in range(3)]
    eager(weight.clone(), hinv, *expected, **settings)
    assert all(torch.equal(a, b) for a, b in zip(outputs, expected, strict=True))


def test_cast_is_bit_equal() -> None:
    x = torch.linspace(-7, 7, 10_001)
    library = ImplBackend.call("cast_to_fp4", x.clone())
    assert torch.equal(curate_cast_to_fp4_cpu(x).view(torch.int32), library.view(torch.int32))
