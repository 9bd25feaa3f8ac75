from __future__ import annotations

from pathlib import Path

import pytest
import torch
from made_checkpoints import DOWN, Q, make, plain_weights
from torch import Tensor

from curator._errors import InputError
from curator.quantize.checkpoint import open_checkpoint

GRID = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def by_hand(packed: Tensor, scale: Tensor, factor: float) -> Tensor:
    """Every value by a loop in float64."""
    rows = []
    for row, scales in zip(packed.tolist(), scale.double().tolist(), strict=True):
        nibbles = [nibble for byte in row for nibble in (byte & 15, byte >> 4)]
        signed = [(-1.0 if nibble & 8 else 1.0) * GRID[nibble & 7] for nibble in nibbles]
        rows.append([value * scales[index // 16] * factor for index, value in enumerate(signed)])
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("layout", ["compressed-tensors", "modelopt"])
def test_the_value_of_every_weight(tmp_path: Path, layout: str) -> None:
    made = make(layout)
    with open_checkpoint(made.write(tmp_path)) as checkpoint:
        linear = checkpoint.linears[DOWN]
        weight, rows = linear.weight(), linear.rows(3, 9)
        assert linear.shape == (64, 128) == tuple(weight.shape)
        assert (linear.format, linear.input_format) == ("nvfp4", "nvfp4")
        input_scale = linear.input_scale()
        assert input_scale is not None
        # A divisor in both layouts.
        assert float(input_scale) == pytest.approx(300, rel=1e-6)
        assert float(linear.multiplier() * linear.divisor()) == pytest.approx(1, rel=1e-6)
        amax = float(plain_weights()[f"{DOWN}.weight"].float().abs().max())
        assert float(linear.divisor()) == pytest.approx(2688 / amax, rel=1e-6)
    if layout == "modelopt":
        packed, factor = made.tensors[f"{DOWN}.weight"], float(made.tensors[f"{DOWN}.weight_scale_2"])
    else:
        packed, factor = (
            made.tensors[f"{DOWN}.weight_packed"],
            1 / float(made.tensors[f"{DOWN}.weight_global_scale"]),
        )
    expected = by_hand(packed, made.tensors[f"{DOWN}.weight_scale"], factor)
    torch.testing.assert_close(weight.double(), expected, rtol=3e-7, atol=0)
    assert torch.equal(rows, weight[3:9])


def test_fp8_by_tensor_row_and_block(tmp_path: Path) -> None:
    made = make(fp8=(DOWN,))
    stored = made.tensors[f"{DOWN}.weight"].float()
    scales = {
        "tensor": (torch.tensor([0.5]), stored * 0.5),
        "row": (torch.arange(1.0, 65).reshape(64, 1), stored * torch.arange(1.0, 65).reshape(64, 1)),
        "block": (
            torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
            torch.cat(
                [torch.cat([stored[:32, :64], stored[:32, 64:] * 2], 1),
                 torch.cat([stored[32:, :64] * 3, stored[32:, 64:] * 4], 1)]
            ),
        ),
    }  # fmt: skip
    for kind, (scale, expected) in scales.items():
        made.tensors[f"{DOWN}.weight_scale"] = scale
        with open_checkpoint(made.write(tmp_path / kind)) as checkpoint:
            linear = checkpoint.linears[DOWN]
            assert torch.equal(linear.weight(), expected)
            assert torch.equal(linear.rows(20, 50), expected[20:50])
            assert linear.input_format == "fp8-tensor"
            assert linear.input_scale() == torch.tensor([0.02])


def test_how_inputs_are_quantised(tmp_path: Path) -> None:
    made = make(fp8=(DOWN,))
    made.own["config_groups"]["group_1"]["input_activations"] = {"num_bits": 8, "type": "float", "dynamic": True}
    with open_checkpoint(made.write(tmp_path / "token")) as checkpoint:
        assert checkpoint.linears[DOWN].input_format == "fp8-token"
        assert checkpoint.scheme == "W4A4"
    with open_checkpoint(make(activations=False).write(tmp_path / "none")) as checkpoint:
        assert checkpoint.linears[Q].input_format == "none"
        assert checkpoint.linears[Q].input_scale() is None
        assert checkpoint.scheme == "W4A16"


def test_scales_of_the_input_are_folded_into_the_columns(tmp_path: Path) -> None:
    made = make("modelopt")
    assert made.apart
    with open_checkpoint(made.write(tmp_path / "without")) as checkpoint:
        plain = checkpoint.linears[Q].weight()
    made.apart["quantization"]["quant_algo"] = "NVFP4_AWQ"
    made.tensors[f"{Q}.pre_quant_scale"] = torch.linspace(0.5, 2, 64).to(torch.bfloat16)
    with open_checkpoint(made.write(tmp_path / "with")) as checkpoint:
        expected = plain * torch.linspace(0.5, 2, 64).to(torch.bfloat16).float()
        assert torch.equal(checkpoint.linears[Q].weight(), expected)


def test_what_is_not_a_quantised_layers_own(tmp_path: Path) -> None:
    weights = plain_weights()
    for layout in ("compressed-tensors", "modelopt"):
        made = make(layout, weights, fp8=(DOWN,), bf16=(Q,), kv=True)
        made.tensors[f"{DOWN}.bias"] = torch.zeros(64)
        with open_checkpoint(made.write(tmp_path / layout)) as checkpoint:
            rest = dict(checkpoint.rest())
            assert sorted(rest) == sorted(
                ["model.embed_tokens.weight", "model.norm.weight", f"{Q}.weight", f"{DOWN}.bias"]
            )
            assert torch.equal(rest[f"{Q}.weight"], weights[f"{Q}.weight"])
            ((module, (key, value)),) = checkpoint.kv_scales().items()
            assert module == "model.layers.0.self_attn"
            assert key is not None
            assert value is not None
            assert float(key) == pytest.approx(0.011, rel=1e-2)
            assert "quantization_config" not in checkpoint.config
            assert checkpoint.config["model_type"] == "llama"


def test_a_missing_scale_is_named(tmp_path: Path) -> None:
    made = make()
    del made.tensors[f"{Q}.weight_global_scale"]
    with (
        open_checkpoint(made.write(tmp_path)) as checkpoint,
        pytest.raises(InputError, match=f"{Q}.weight_global_scale is missing"),
    ):
        checkpoint.linears[Q].weight()
