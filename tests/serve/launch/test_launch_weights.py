"""How a checkpoint is served: native FP4, weight-only, or as its twin; the command line of a GPU that we lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._errors import InputError, RefusedError
from curator._files import STEM
from curator.quantize.checkpoint import open_checkpoint
from curator.serve.launch.arguments import ALWAYS, command_line
from curator.serve.launch.machine import GPU
from curator.serve.launch.weights import (
    Weights,
    is_quantised,
    measurable,
    plan_weights,
    refuse_scheme,
    temporary_twin,
)
from tests.quantize.checkpoint.made_checkpoints import make

H200, PRO = GPU("NVIDIA H200", (9, 0)), GPU("NVIDIA RTX PRO 6000 Blackwell", (12, 0))
MARLIN = ["--fp4-gemm-backend", "marlin"]


@pytest.mark.parametrize(
    ("layout", "told"),
    [("modelopt", ["--quantization", "modelopt_fp4"]), ("compressed-tensors", [])],
)
def test_blackwell_serves_the_checkpoint_itself_by_a_native_kernel(
    layout: str, told: list[str], tmp_path: Path
) -> None:
    folder = make(layout).write(tmp_path / "c")
    plan = plan_weights(folder, "W4A4", PRO, [])
    assert (plan.twin, plan.scheme, plan.note) == (False, "W4A4", "")
    # The whole command line but model and address: SGLang reads a compressed-tensors folder's own word.
    native = ["--fp4-gemm-backend", "flashinfer_cutlass"]
    assert command_line([], ALWAYS, plan.arguments) == ["--enable-custom-logit-processor", *told, *native]
    # What is stored, when nothing is asked; the twin, when less than that is.
    assert plan_weights(folder, None, PRO, []) == plan
    assert plan_weights(folder, "W4A16", PRO, []).twin
    assert measurable(PRO, []) == ("W4A4", "W4A16")
    # The user's kernel stands, and a weight-only one is known as such.
    own = ["--fp4-gemm-backend=flashinfer_trtllm"]
    assert command_line(own, plan_weights(folder, "W4A4", PRO, own).arguments) == [*told, *own]
    assert plan_weights(folder, None, PRO, MARLIN).scheme == "W4A16"
    assert measurable(PRO, MARLIN) == ("W4A16",)


@pytest.mark.parametrize(("gpu", "who"), [(None, "a CPU"), (H200, "NVIDIA H200")])
def test_elsewhere_the_twin_is_served_and_w4a4_refused(gpu: GPU | None, who: str, tmp_path: Path) -> None:
    folder = make("modelopt").write(tmp_path / "c")
    plan = plan_weights(folder, None, gpu, [])
    words = f"{who} has no FP4 tensor cores: served as its dequantised twin, which is W4A16"
    assert plan == Weights(True, "W4A16", {}, words)
    for refused in (lambda: plan_weights(folder, "W4A4", gpu, []), lambda: refuse_scheme("W4A4", gpu, [])):
        with pytest.raises(RefusedError, match=f"(?i:{who}).* serves weights alone in NVFP4"):
            refused()
    refuse_scheme("W4A16", gpu, [])


def test_hopper_serves_weight_only_by_marlin_when_that_is_asked(tmp_path: Path) -> None:
    plan = plan_weights(make("modelopt").write(tmp_path / "c"), "W4A16", H200, MARLIN)
    assert (plan.twin, plan.scheme) == (False, "W4A16")
    assert command_line(MARLIN, plan.arguments) == ["--quantization", "modelopt_fp4", *MARLIN]
    assert "activation scales have no effect" in plan.note


@pytest.mark.parametrize("gpu", [H200, GPU("NVIDIA A100", (8, 0)), GPU("NVIDIA L4", (8, 9))])
def test_what_marlin_cannot_load_is_served_as_its_twin_and_told(gpu: GPU, tmp_path: Path) -> None:
    folder = make("compressed-tensors").write(tmp_path / "c")
    plan = plan_weights(folder, None, gpu, MARLIN)
    assert (plan.twin, plan.scheme, plan.arguments) == (True, "W4A16", {})
    assert f"on {gpu.name} (SM{gpu.capability[0]}{gpu.capability[1]}, no FP4 tensor cores)" in plan.note
    assert f"`curate convert {folder} --to modelopt --out DIR`" in plan.note
    # A twin's plain weights are no such thing as the user names.
    for named in (["--quantization", "compressed-tensors"], ["--quantization=modelopt_fp4", *MARLIN]):
        with pytest.raises(RefusedError, match=r"curate convert .* --to modelopt --out DIR` writes, or leave out"):
            plan_weights(folder, "W4A16", gpu, named)
    # FP4 tensor cores load it, weight-only where that is asked; and a weight-only folder has a kernel of its own.
    assert not plan_weights(folder, None, PRO, MARLIN).twin
    weight_only = make("compressed-tensors", activations=False).write(tmp_path / "w")
    assert not plan_weights(weight_only, None, gpu, MARLIN).twin


def test_plain_models_and_weight_only_checkpoints(tiny_model: Path, tmp_path: Path) -> None:
    assert not is_quantised(tiny_model)
    assert plan_weights(tiny_model, None, PRO, []) == Weights(False, None, {})
    weight_only = make("compressed-tensors", activations=False).write(tmp_path / "c")
    assert plan_weights(weight_only, None, PRO, []).scheme == "W4A16"
    with pytest.raises(InputError, match=r"weight-only checkpoint .* cannot be measured as W4A4"):
        plan_weights(weight_only, "W4A4", PRO, [])


def test_a_twin_lives_beside_the_checkpoint_for_as_long_as_the_server(tmp_path: Path) -> None:
    folder = make("modelopt", kv=True).write(tmp_path / "c")
    with temporary_twin(folder, "float32") as (twin, notes):
        assert not is_quantised(twin)
        # What a killed command leaves is swept by this name (curator/_lock.py).
        assert twin.parent.parent == tmp_path and twin.parent.name.startswith(STEM)
        assert any("KV cache" in note for note in notes)
    assert [file.name for file in tmp_path.iterdir()] == ["c"]
    with open_checkpoint(folder) as opened:
        assert opened.scheme == "W4A4"
