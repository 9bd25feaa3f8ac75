from __future__ import annotations

from pathlib import Path

import pytest
import torch
from precision_models import save_checkpoint
from tiny_models.moe import UNSEEN, save_moe

from curator.precision.activation_amax import activation_amax
from curator.precision.bench import opened
from curator.precision.candidates import Candidates
from curator.precision.evaluate import Evaluator
from curator.precision.formats import Format
from curator.precision.parts import layout_of, parts_of
from curator.precision.replay import Replay
from curator.serve.in_process import InProcess
from curator.serve.interface import Window
from curator.serve.padded import pad

ROWS = [[(5 * i + 3 * j + j * j) % 250 for j in range(24)] for i in range(3)]
WINDOWS = [Window(tuple((7 * i + 5 * j * j) % 250 for j in range(20)), 6) for i in range(2)]


@torch.no_grad()
def test_experts_are_parts_and_a_checkpoint_of_them_runs_quantised(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = save_moe(tmp_path / "moe", "qwen3_moe")
    batch = pad(WINDOWS, "cpu")
    with opened(folder, "float32", False) as server:
        layout = layout_of(server.model, [r"re:.*mlp\.gate$"])
        parts = {part.name: part for part in parts_of(layout, "group")}
        experts = parts["layers.0.mlp.experts"]
        assert len(experts.modules) == 15
        assert experts.weights == 15 * 64 * 32
        amax = activation_amax(server.model, layout, ROWS, lambda _count: None)
        unseen = f"model.layers.0.mlp.experts.{UNSEEN}.down_proj"
        assert [name for name in experts.modules if amax[name] == 0] == [
            name for name in experts.modules if f".{UNSEEN}." in name
        ]
        assert amax[unseen] == 0
        candidates = Candidates(layout, amax, "W4A4")
        every: dict[str, Format] = dict.fromkeys(layout.linears, "nvfp4")
        with Replay(server.model, layout.layers) as replay:
            evaluator = Evaluator(replay, candidates, WINDOWS, 2)
            assert replay.exact
            lost = float(evaluator.kl(every).mean())
        with candidates.applied(every):
            ours = server.model(input_ids=batch.ids, logits_to_keep=batch.keep).logits
    # An unseen expert has a scale of its own in a checkpoint that was checked.
    scales = {name: value or 1.0 for name, value in amax.items()}
    checkpoint = save_checkpoint(folder, scales, tmp_path / "checkpoint")
    stored = InProcess(checkpoint, "W4A4").model(input_ids=batch.ids, logits_to_keep=batch.keep).logits
    # By two ways that share only the arithmetic of one layer: the same to the last bit.
    assert torch.equal(stored, ours)
    assert lost > 1e-3
    assert capfd.readouterr().out == ""
