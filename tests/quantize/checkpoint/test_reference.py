"""Each layer's error against its BF16 model, and what it is put down to."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_checkpoints import DOWN, Made, Q, make, nvfp4_tensors, plain_weights
from safetensors.torch import save_file

from curator.quantize.checkpoint import Verification, open_checkpoint, verify_checkpoint
from curator.quantize.checkpoint.reference import LayerError

LAYOUTS = ("compressed-tensors", "modelopt")


def model(folder: Path, weights: dict[str, torch.Tensor]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / "model.safetensors")
    return folder


def compared(made: Made, folder: Path, weights: dict[str, torch.Tensor] | None = None) -> Verification:
    reference = model(folder / "reference", plain_weights() if weights is None else weights)
    return verify_checkpoint(made.write(folder / "checkpoint"), reference=reference)


def of(found: Verification, layer: str) -> LayerError:
    assert found.errors is not None
    return next(error for error in found.errors if error.layer == layer)


def doubts(found: Verification) -> str:
    return " | ".join(line for line in found.warnings if "multiple of 128" not in line)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_error_is_that_of_numpy_and_normal_for_gaussian_weights(tmp_path: Path, layout: str) -> None:
    found = compared(make(layout, fp8=(DOWN,)), tmp_path)
    assert found.faults == []
    assert doubts(found) == ""
    assert found.errors is not None
    assert [error.error for error in found.errors] == sorted((e.error for e in found.errors), reverse=True)
    with open_checkpoint(tmp_path / "checkpoint") as checkpoint:
        for error in found.errors:
            ours = checkpoint.linears[error.layer].weight().double().numpy()
            theirs = plain_weights()[f"{error.layer}.weight"].double().numpy()
            expected = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
            assert error.error == pytest.approx(expected, rel=1e-6)
            # Gaussian weights: 0.095 in NVFP4, 0.026 in FP8.
            assert error.rounding == pytest.approx(0.0264 if error.layer == DOWN else 0.095, rel=0.03)
            assert not error.is_far
    # Alone under its amax this layer is rounded as the reference is.
    assert of(found, "model.layers.0.self_attn.o_proj").error == pytest.approx(
        of(found, "model.layers.0.self_attn.o_proj").rounding, rel=1e-4
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_other_convention_is_found_and_named(tmp_path: Path, layout: str) -> None:
    made = make(layout)
    leaf = "weight_global_scale" if layout == "compressed-tensors" else "weight_scale_2"
    made.tensors[f"{DOWN}.{leaf}"] = 1 / made.tensors[f"{DOWN}.{leaf}"]
    found = compared(made, tmp_path)
    alone, fault = found.faults
    assert alone.startswith(f"{DOWN}.{leaf} is no ")
    assert fault.startswith(f"{DOWN}: error ")
    assert "of the other convention (divisor for multiplier): read so, the error is 0.09" in fault
    assert of(found, DOWN).is_far
    assert "other convention" in of(found, DOWN).note


def test_a_wrong_global_scale_and_a_wrong_nibble_order(tmp_path: Path) -> None:
    made = make()
    made.tensors[f"{DOWN}.weight_global_scale"] *= 1.25
    packed = made.tensors[f"{Q}.weight_packed"]
    made.tensors[f"{Q}.weight_packed"] = (packed >> 4) | (packed << 4)
    found = compared(made, tmp_path)
    by_layer = {fault.partition(":")[0]: fault for fault in found.faults}
    assert "a wrong global scale: it is 0.8" in by_layer[DOWN]
    assert "the two values of each byte are in the wrong order" in by_layer[Q]
    assert len(by_layer) == 2


def test_rows_and_columns_scaled_on_purpose_are_no_fault(tmp_path: Path) -> None:
    weights = plain_weights()
    name = f"{DOWN}.weight"
    columns, rows = torch.logspace(-1, 1, 128), torch.logspace(0.5, -0.5, 64)
    smoothed = (weights[name].float() * columns * rows[:, None]).to(torch.bfloat16)
    found = compared(make(weights={**weights, name: smoothed}), tmp_path)
    assert found.faults == []
    assert f"{DOWN}: differs from the model on purpose: its rows or columns are scaled, as AWQ" in doubts(found)
    left = float(of(found, DOWN).note.rpartition(" ")[2])
    assert of(found, DOWN).is_far
    assert left == pytest.approx(0.095, rel=0.05)


def test_another_model_and_a_rotated_one(tmp_path: Path) -> None:
    other = plain_weights(seed=5)
    found = compared(make(weights={**plain_weights(), f"{DOWN}.weight": other[f"{DOWN}.weight"]}), tmp_path / "a")
    (fault,) = found.faults
    assert of(found, DOWN).error == pytest.approx(math.sqrt(2), rel=0.03)
    assert "is the reference the model that was quantised?" in fault
    made = make(weights={**plain_weights(), f"{DOWN}.weight": other[f"{DOWN}.weight"]})
    made.extra["curate.json"] = '{"method": "spinquant", "tensors_sha256": ""}'
    found = compared(made, tmp_path / "b")
    assert found.faults == []
    assert f"{DOWN}: rotated, so not to be compared" in doubts(found)
    del made.extra["curate.json"]
    made.own["transform_config"] = {"config_groups": {"R1": {"type": "hadamard"}}}
    assert compared(made, tmp_path / "c").faults == []


def test_a_layer_moved_too_far(tmp_path: Path) -> None:
    weights = plain_weights()
    name = f"{DOWN}.weight"
    noise = torch.randn(weights[name].shape, generator=torch.Generator().manual_seed(1)) * 0.2 * 0.35
    moved = (weights[name].float() + noise).to(torch.bfloat16)
    found = compared(make(weights={**weights, name: moved}), tmp_path)
    assert found.faults == []
    assert f"{DOWN}: an error more than 3 times that of rounding" in doubts(found)


def test_one_factor_for_all_is_on_purpose_when_a_norm_has_taken_it(tmp_path: Path) -> None:
    weights = plain_weights()
    halved = {**weights, f"{DOWN}.weight": weights[f"{DOWN}.weight"] / 2}
    found = compared(make(weights=halved), tmp_path / "alone")
    assert "a wrong global scale: it is 0.5" in found.faults[0]
    found = compared(make(weights={**halved, "model.norm.weight": torch.full((64,), 2.0)}), tmp_path / "folded")
    assert found.faults == []
    assert f"{DOWN}: differs from the model on purpose" in doubts(found)


def test_zero_blocks_of_the_model_ought_to_be_zero(tmp_path: Path) -> None:
    weights = plain_weights()
    zeroed = weights[f"{DOWN}.weight"].clone()
    zeroed[1, :16] = 0
    zeroed[5, 32:64] = 0
    zeros = {**weights, f"{DOWN}.weight": zeroed}
    found = compared(make(weights=zeros), tmp_path / "good", zeros)
    assert (found.faults, doubts(found)) == ([], "")
    found = compared(make(weights=weights), tmp_path / "bad", zeros)
    assert f"{DOWN}: has blocks that are zero in the model and not here; GPTQ alone" in doubts(found)


def test_a_layer_of_zeros_has_no_error(tmp_path: Path) -> None:
    weights: dict[str, Any] = plain_weights()
    weights[f"{DOWN}.weight"] = torch.zeros_like(weights[f"{DOWN}.weight"])
    made = make()
    made.tensors |= nvfp4_tensors(DOWN, weights[f"{DOWN}.weight"], torch.ones(()), "compressed-tensors")
    found = compared(made, tmp_path, weights)
    assert found.faults == []
    assert (of(found, DOWN).error, of(found, DOWN).rounding) == (0, 0)
    found = compared(make(), tmp_path / "other", weights)
    assert found.faults == [f"{DOWN}: all zero in the model, and not here; is it the model that was quantised?"]


def test_what_is_not_finite_or_needs_no_rounding(tmp_path: Path) -> None:
    weights = plain_weights()
    name = f"{DOWN}.weight"
    broken = {**weights, name: torch.full_like(weights[name], float("nan"))}
    found = compared(make(), tmp_path / "nan", broken)
    assert found.faults == [f"{DOWN}: numbers that are not finite, in the checkpoint or in the reference"]
    assert found.errors is not None
    assert len(found.errors) == 6
    # Six in every place is a number of the format: any difference is beyond rounding.
    found = compared(make(), tmp_path / "six", {**weights, name: torch.full_like(weights[name], 6.0)})
    assert "where rounding makes 0; is the reference" in found.faults[0]


def test_counterparts_that_are_not_there(tmp_path: Path) -> None:
    weights = plain_weights()
    less = {name: tensor for name, tensor in weights.items() if not name.startswith(Q)}
    found = compared(make(), tmp_path / "less", less)
    assert f"{Q}: has no BF16 counterpart in {tmp_path / 'less' / 'reference'}" in doubts(found)
    assert found.errors is not None
    assert len(found.errors) == 6
    other = {**weights, f"{Q}.weight": torch.ones((64, 32), dtype=torch.bfloat16)}
    assert f"{Q} is 64 x 64, in " in compared(make(), tmp_path / "shape", other).faults[0]
    made = make()
    for leaf in ("weight_packed", "weight_scale", "weight_global_scale", "input_global_scale"):
        del made.tensors[f"{DOWN}.{leaf}"]
    assert compared(made, tmp_path / "gone").faults == [
        f"{DOWN} is a layer of the model, the checkpoint has no weight of it"
    ]


def test_experts_under_mixtrals_names(tmp_path: Path) -> None:
    weights = plain_weights(experts=2)
    leaves = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}
    named = {}
    for name, tensor in weights.items():
        for ours, theirs in leaves.items():
            name = name.replace(ours, theirs) if "experts" in name else name
        named[name] = tensor
    found = compared(make(weights=weights), tmp_path, named)
    assert found.faults == []
    assert found.errors is not None
    assert len(found.errors) == 10
    assert "experts.0.down_proj and 5 more: has another name in the model (w1, w2, w3 or" in doubts(found)


def test_faulty_scales_do_not_hinder_the_rest(tmp_path: Path) -> None:
    made = make()
    made.tensors[f"{Q}.weight_global_scale"] = torch.tensor([float("nan")])
    made.tensors[f"{DOWN}.weight_scale"] = made.tensors[f"{DOWN}.weight_scale"][:, :1].contiguous()
    found = compared(made, tmp_path)
    assert found.errors is not None
    assert len(found.errors) == 5
    assert any(f"{Q}.weight_global_scale is not finite" in fault for fault in found.faults)
