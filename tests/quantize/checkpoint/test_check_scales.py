"""The checks of numbers, each on a checkpoint with one mistake."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from checked import ATTENTION, LAYOUTS, verified, warnings
from made_checkpoints import DOWN, Made, make, plain_weights
from safetensors.torch import save_file

from curator.quantize.checkpoint import verify_checkpoint


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, -1.0])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bad_global_scale_is_named(tmp_path: Path, layout: str, value: float) -> None:
    leaves = {"compressed-tensors": ("input_global_scale", "weight_global_scale")}
    for leaf in leaves.get(layout, ("input_scale", "weight_scale_2")):
        made = make(layout)
        name = f"{DOWN}.{leaf}"
        made.tensors[name] = torch.full_like(made.tensors[name], value)
        word = "positive" if value <= 0 else "finite"
        assert verified(made, tmp_path / leaf).faults == [f"{name} is not {word}"]


def change(name: str, edit: Callable[[torch.Tensor], torch.Tensor | None], **options: Any) -> Made:
    made = make(**options)
    edited = edit(made.tensors[name])
    if edited is None:
        del made.tensors[name]
    else:
        made.tensors[name] = edited
    return made


def with_nan(scale: torch.Tensor) -> torch.Tensor:
    value = scale.float()
    value[3, 1] = float("nan")
    return value.to(torch.float8_e4m3fn)


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        (f"{DOWN}.weight_scale", with_nan, "is not finite"),
        (f"{DOWN}.weight_scale", lambda scale: (-scale.float()).to(scale.dtype), "is not positive"),
        (f"{DOWN}.weight_scale", lambda scale: scale[:, :1].contiguous(), "has shape (64, 1), which does not fit"),
        (f"{DOWN}.weight_scale", lambda scale: scale.to(torch.float32), "is float32, not float8_e4m3fn"),
        (f"{DOWN}.weight_scale", lambda _: None, "is missing"),
        (f"{DOWN}.weight_global_scale", lambda _: None, "is missing"),
        (f"{DOWN}.input_global_scale", lambda _: None, "is missing"),
        (f"{DOWN}.weight_global_scale", lambda scale: scale.repeat(3), "has shape (3,) and type torch.float32"),
        # 1 / 2688 of a weight's amax where 2688 / amax belongs.
        (f"{DOWN}.weight_global_scale", lambda scale: 1 / scale, "is no divisor as compressed-tensors has it"),
    ],
)
def test_a_bad_scale_is_named(tmp_path: Path, name: str, edit: Any, words: str) -> None:
    (fault,) = verified(change(name, edit), tmp_path).faults
    assert fault.startswith(f"{name} {words}")


def test_a_divisor_in_modelopts_place_is_told_as_such(tmp_path: Path) -> None:
    made = change(f"{DOWN}.weight_scale_2", lambda scale: 1 / scale, layout="modelopt")
    made.tensors[f"{DOWN}.input_scale"] = torch.tensor(300.0)
    found = verified(made, tmp_path)
    assert "is no multiplier as modelopt has it: weights up to" in found.faults[0]
    assert any("activations up to 8.06e+05; is it of the other convention?" in line for line in found.warnings)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (torch.tensor([float("nan")]), "is not finite"),
        (torch.tensor([0.0]), "is not positive"),
        (torch.ones(7), "which does not fit its weight"),
        (None, "is missing"),
    ],
)
def test_fp8_scales_are_checked_too(tmp_path: Path, scale: Any, words: str) -> None:
    (fault,) = verified(change(f"{DOWN}.weight_scale", lambda _: scale, fp8=(DOWN,)), tmp_path).faults
    assert words in fault


def test_zero_blocks(tmp_path: Path) -> None:
    """A zero block scale over zeros is right, over values it has lost them; a zero layer is worth a word."""
    name = f"{DOWN}.weight_packed"
    made = make()
    scale = made.tensors[f"{DOWN}.weight_scale"].float()
    scale[1, 0] = 0
    made.tensors[f"{DOWN}.weight_scale"] = scale.to(torch.float8_e4m3fn)
    found = verified(made, tmp_path / "lost")
    assert found.faults == []
    assert warnings(found) == [f"{DOWN}: block scales of 0 over values that are not 0, which dequantise to 0"]
    made.tensors[name][1, :8] = 0x80  # zeros of either sign
    assert warnings(verified(made, tmp_path / "zeros")) == []
    made.tensors[f"{DOWN}.weight_scale"] = torch.zeros_like(scale).to(torch.float8_e4m3fn)
    made.tensors[name].zero_()
    assert warnings(verified(made, tmp_path / "layer")) == [
        f"{DOWN}: all its block scales are 0: the whole layer is zero"
    ]


def test_small_block_scales_are_told(tmp_path: Path) -> None:
    made = make()
    for leaf in ("weight_scale", "weight_global_scale"):
        name = f"{DOWN}.{leaf}"
        made.tensors[name] = (made.tensors[name].float() / 32768).to(made.tensors[name].dtype)
    assert "E4M3 has few bits" in " ".join(verified(made, tmp_path).warnings)


def test_a_width_that_is_no_multiple_of_16(tmp_path: Path) -> None:
    made = make()
    made.tensors["model.layers.0.mlp.down_proj.weight_packed"] = torch.zeros((64, 60), dtype=torch.uint8)
    assert f"{DOWN} has 120 input features, which is no multiple of 16" in verified(made, tmp_path).faults


def test_experts_without_an_activation_scale_are_counted_and_listed(tmp_path: Path) -> None:
    made = make("modelopt", plain_weights(experts=4))
    lost = [f"model.layers.0.mlp.experts.2.{leaf}_proj.input_scale" for leaf in ("down", "gate", "up")]
    for name in lost:
        del made.tensors[name]
    found = verified(made, tmp_path)
    assert found.faults == [
        "model.layers.0.mlp.experts: 1 of 4 experts (2) have no activation scale: "
        "no calibration token reached them",
        *(f"{name} is missing" for name in lost),
    ]
    # The router is a linear that nobody quantises or lists.
    assert found.layers == {"nvfp4": 16, "not quantised": 0}
    assert warnings(found) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scales_of_the_kv_cache(tmp_path: Path, layout: str) -> None:
    made = make(layout, plain_weights(layers=2), kv=True)
    names = sorted(name for name in made.tensors if name.endswith(("k_scale", "v_scale")))
    assert len(names) == 4
    shown = f"{ATTENTION}.k_scale"
    good = made.tensors[names[0]]
    for value, words in (
        (0.0, "is not a finite positive number"),
        (float("nan"), "is not a finite positive number"),
    ):
        made.tensors[names[0]] = torch.full_like(good, value)
        assert verified(made, tmp_path / str(value)).faults == [f"{shown} {words}"]
    made.tensors[names[0]] = torch.full_like(good, 0.75)
    assert "a KV scale above 0.5" in warnings(verified(made, tmp_path / "large"))[0]
    del made.tensors[names[0]]
    assert verified(made, tmp_path / "half").faults == [
        f"{shown} is missing, its layer has the other of k_scale and v_scale"
    ]
    del made.tensors[names[1]]
    assert verified(made, tmp_path / "layer").faults == [
        f"{ATTENTION} has no k_scale and v_scale, other layers have"
    ]
    made.config["layer_types"] = ["linear_attention", "full_attention"]
    found = verified(made, tmp_path / "hybrid")
    assert (found.faults, len(warnings(found))) == ([], 1)
    for name in names[2:]:
        del made.tensors[name]
    assert "servers take 1.0" in warnings(verified(made, tmp_path / "none"))[0]


def test_kv_scales_that_nobody_asked_for(tmp_path: Path) -> None:
    made = make(kv=True)
    made.own["kv_cache_scheme"] = None
    faults = verified(made, tmp_path).faults
    assert [fault.partition(" ")[0] for fault in faults] == [f"{ATTENTION}.k_scale", f"{ATTENTION}.v_scale"]


@pytest.mark.parametrize(
    "strange",
    [
        torch.zeros(()),
        torch.zeros(0),
        torch.zeros((0, 5), dtype=torch.uint8),
        torch.ones((2, 2, 2)),
        torch.ones(1, dtype=torch.int64),
        torch.ones((64, 64)).to(torch.float8_e4m3fn),
        torch.ones((64, 4)).to(torch.float8_e5m2),
    ],
)
def test_whatever_a_tensor_is_there_is_a_fault_and_no_crash(tmp_path: Path, strange: torch.Tensor) -> None:
    reference = tmp_path / "reference"
    reference.mkdir()
    save_file(plain_weights(), reference / "model.safetensors")
    for layout in LAYOUTS:
        names = [name for name in make(layout, kv=True).tensors if DOWN in name or name.endswith("k_scale")]
        for index, name in enumerate(names):
            made = make(layout, kv=True)
            # Several numbers may be scales of several heads.
            if strange.ndim == 3 and name.endswith(("k_scale", "v_scale")):
                continue
            made.tensors[name] = strange
            found = verify_checkpoint(made.write(tmp_path / f"{layout}{index}"), reference=reference)
            assert found.faults, name
            json.dumps(found.document(), allow_nan=False)
