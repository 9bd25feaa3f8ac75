from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from precision_models import save_checkpoint, save_inputs, save_planted
from safetensors.torch import load_file, save_file

from curator._errors import InputError, RefusedError
from curator._progress import Silent
from curator.adapters.stored_set import read_set
from curator.models.fingerprint import model_fingerprint
from curator.precision.plan import SensitivityPlan
from curator.precision.sensitivity import run_sensitivity


def plan_of(model: Path, folder: Path, **settings: Any) -> SensitivityPlan:
    rows = tuple(map(tuple, read_set(folder / "set").rows))
    return SensitivityPlan(
        model=model,
        model_name="planted",
        model_hash=model_fingerprint(model),
        rows=rows,
        set_hash="set",
        by="pattern",
        formats=("nvfp4",),
        prompts=4,
        tokens=8,
        heldout=folder / "heldout.jsonl",
        **settings,
    )


def edited(checkpoint: Path, name: str, value: torch.Tensor) -> None:
    tensors = load_file(checkpoint / "model.safetensors")
    save_file({**tensors, name: value}, checkpoint / "model.safetensors", metadata={"format": "pt"})


def test_the_checkpoints_weights_and_scales_are_what_is_measured(tiny_model: Path, tmp_path: Path) -> None:
    model = save_planted(tiny_model, tmp_path / "model")
    save_inputs(tmp_path)
    rounded = run_sensitivity(plan_of(model, tmp_path, out=tmp_path / "rounded"), Silent())
    checkpoint = save_checkpoint(model, rounded["activations"], tmp_path / "checkpoint")

    def stored(out: str, **settings: Any) -> dict[str, Any]:
        given: dict[str, Any] = {"checkpoint": checkpoint, "checkpoint_hash": out, **settings}
        return run_sensitivity(plan_of(model, tmp_path, out=tmp_path / out, **given), Silent())

    def kl(document: dict[str, Any]) -> dict[str, float]:
        return {part["name"]: part["kl"]["nvfp4"]["mean"] for part in document["parts"]}

    # Rounded to nearest with the set's scales is what the checkpoint has: the same, but for ties.
    assert kl(stored("same")) == pytest.approx(kl(rounded), rel=0.02)
    # An activation scale for inputs a sixteenth as large: only what it belongs to changes.
    name = "model.layers.0.mlp.down_proj"
    edited(checkpoint, f"{name}.input_global_scale", torch.tensor([16 * 2688 / rounded["activations"][name]]))
    clipped = kl(stored("clipped"))
    assert clipped["mlp.down_proj"] > 1.3 * kl(rounded)["mlp.down_proj"]
    assert clipped["self_attn.o_proj"] == pytest.approx(kl(rounded)["self_attn.o_proj"], rel=0.02)
    edited(checkpoint, f"{name}.weight_packed", torch.zeros((8, 64), dtype=torch.uint8))
    with pytest.raises(InputError, match=r"0\.mlp\.down_proj is \(8, 128\) there and \(64, 128\) in the model"):
        stored("other")
    edited(checkpoint, "model.norm.weight", torch.full((64,), 2.0, dtype=torch.bfloat16))
    with pytest.raises(RefusedError, match=r"--from: model\.norm\.weight differs from the model's, as after AWQ"):
        stored("folded", ignore=(name,))
