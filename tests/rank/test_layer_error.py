"""Errors of layers: kept before a checkpoint goes, put together by block and kind."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from curator.quantize.checkpoint.reference import LayerError
from curator.rank.arms import Draw
from curator.rank.layer_error import _place, layers_of, record_layers, stored_layers


@pytest.mark.parametrize(
    ("layer", "place"),
    [
        ("model.layers.3.self_attn.q_proj", (3, "self_attn.q_proj")),
        ("model.layers.11.mlp.experts.7.w1", (11, "mlp.experts.w1")),
        ("lm_head", (None, "lm_head")),
        ("transformer.h.0", (0, "h")),
    ],
)
def test_a_layer_is_of_a_block_and_a_kind(layer: str, place: tuple[int | None, str]) -> None:
    assert _place(layer) == place


def row(kind: str, block: int | None, error: float) -> dict[str, object]:
    return {"kind": kind, "block": block, "layers": 1, "error": error, "rounding": 0.09, "input_amax": 100 * error}


def test_two_arms_stand_side_by_side_where_both_have_the_layer() -> None:
    arms = {
        "good": [row("q", 0, 0.1), row("q", 1, 0.2), row("k", 0, 0.3)],
        "bad": [row("q", 1, 0.4), row("q", 0, 0.5)],
    }
    found = layers_of(arms, "good", "bad")
    assert (found["best"], found["worst"], list(found["kinds"])) == ("good", "bad", ["q"])
    q = found["kinds"]["q"]
    assert (q["blocks"], q["best"], q["worst"], q["rounding"]) == ([0, 1], [0.1, 0.2], [0.5, 0.4], [0.09] * 2)
    assert (q["best_input"], q["worst_input"]) == ([10.0, 20.0], [50.0, 40.0])
    assert layers_of(arms, "good", "good") == layers_of(arms, "good", "gone") == {}


def test_experts_of_a_block_are_one_row_that_outlives_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    errors = [
        LayerError("model.layers.1.mlp.experts.0.w1", "nvfp4", 0.3, 0.1),
        LayerError("model.layers.1.mlp.experts.1.w1", "nvfp4", 0.1, 0.06),
        LayerError("model.layers.0.self_attn.q_proj", "nvfp4", 0.09, 0.08),
    ]
    # Divisors 2688 / amax: of the two experts the larger input counts; an input in BF16 has none.
    scales = {"0.w1": ("nvfp4", 2688 / 4), "1.w1": ("nvfp4", 2688 / 6), "q_proj": ("none", None)}
    linears = {
        one.layer: SimpleNamespace(input_format=kind, input_scale=lambda scale=scale: torch.tensor([scale]))
        for one in errors
        for name, (kind, scale) in scales.items()
        if one.layer.endswith(name)
    }
    opened = SimpleNamespace(linears=linears)
    monkeypatch.setattr("curator.quantize.checkpoint.opened.open_checkpoint", lambda _: nullcontext(opened))
    monkeypatch.setattr(
        "curator.quantize.checkpoint.reference.layer_errors", lambda *given: asked.append(given[1]) or errors
    )
    draw, receipt = Draw(tmp_path / "piece", [], "", {}), {"tensors_sha256": "one"}
    record_layers(tmp_path / "model", draw, receipt)
    assert asked == [tmp_path / "model"]
    assert stored_layers(draw, receipt) == [
        {"block": 1, "kind": "mlp.experts.w1", "layers": 2, "error": 0.2, "rounding": 0.08,
         "input_amax": pytest.approx(6.0)},
        {"block": 0, "kind": "self_attn.q_proj", "layers": 1, "error": 0.09, "rounding": 0.08, "input_amax": None},
    ]  # fmt: skip
    # Found again, and not taken for another checkpoint's.
    record_layers(tmp_path / "model", draw, receipt)
    assert len(asked) == 1
    assert stored_layers(draw, {"tensors_sha256": "other"}) is None


def test_a_checkpoint_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    record_layers(tmp_path, Draw(tmp_path / "gone", [], "", {}), {"tensors_sha256": "x"})
    assert not (tmp_path / "gone").exists()
