"""From sensitivity to a recipe's fragment, which gives the model's layers the formats that were chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from curator._progress import Silent
from curator.models.fingerprint import model_fingerprint
from curator.precision.mix import MixPlan, run_mix
from curator.precision.plan import SensitivityPlan
from curator.precision.sensitivity import run_sensitivity
from curator.quantize.preflight.skeleton import Skeleton, skeleton
from curator.quantize.preflight.widths import formats
from curator.recipe.quantize_settings import QuantizeSettings

BITS = {"nvfp4": 4.5, "fp8": 8.0, "bf16": 16.0}
TEXTS = (
    "The ferry leaves the harbour at noon and comes back before",
    "What is the capital of France? The capital of France is",
    "def area(width, height):\n    return width *",
    "Water boils at one hundred degrees, and it freezes at",
)


def test_a_fragment_gives_the_chosen_formats_within_its_budget(tiny_model: Path, tmp_path: Path) -> None:
    heldout = tmp_path / "heldout.jsonl"
    heldout.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    plan = SensitivityPlan(
        model=tiny_model,
        model_name="tiny",
        model_hash=model_fingerprint(tiny_model),
        out=tmp_path / "sensitivity",
        rows=(),
        set_hash="",
        by="pattern",
        formats=("nvfp4",),
        scheme="W4A16",
        prompts=2,
        tokens=4,
        heldout=heldout,
        # Two of the four patterns stay in BF16: half the work.
        ignore=(r"re:.*\.(q|k|v|o)_proj$",),
    )
    measured = run_sensitivity(plan, Silent())
    assert {part["name"] for part in measured["parts"]} == {"mlp.gate_up_proj", "mlp.down_proj"}
    assert all(0 < part["kl"]["nvfp4"]["mean"] < 1 for part in measured["parts"])
    # The joint KL is confirmed elsewhere; here it would double the time.
    chosen = MixPlan(tmp_path / "sensitivity" / "sensitivity.json", tmp_path / "mix", bits=9.5, confirm=False)
    mixed = run_mix(chosen, Silent())
    fragment = YAML(typ="safe").load(tmp_path / "mix" / "recipe.yaml")
    settings = QuantizeSettings.model_validate({"method": "rtn", **fragment["quantize"]})
    layout = skeleton(tiny_model, False)
    assert isinstance(layout, Skeleton)
    given = formats(layout, settings)
    assert all(name == "bf16" for linear, name in given.items() if "self_attn" in linear.name)
    parts = {linear: linear.inputs * linear.outputs for linear in given if "mlp" in linear.name}
    bits = sum(BITS[given[linear]] * size for linear, size in parts.items()) / sum(parts.values())
    assert bits == pytest.approx(mixed["bits"])
    assert bits <= 9.5
