from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from precision_models import WINDOWS, random_model
from tiny_models.hybrid import DENSE_LENGTH, GATES, save_hybrid
from torch import nn

from curator.models.load import load_model
from curator.precision.parts import layout_of
from curator.precision.replay import Replay
from curator.serve.interface import Window
from curator.serve.padded import pad


@pytest.mark.parametrize("kind", ["llama", "sliding"])
@torch.no_grad()
def test_a_run_from_any_layer_equals_the_whole_run_to_the_bit(kind: str) -> None:
    model = random_model(kind)
    batch = pad(WINDOWS, "cpu")
    plain = model(input_ids=batch.ids, use_cache=False).logits
    with Replay(model, layout_of(model).layers) as replay:
        replay.check(batch)
        assert replay.exact
        whole = replay.logits(batch)
        torch.testing.assert_close(whole, plain[:, batch.keep], rtol=1e-5, atol=1e-5)
        hidden = None
        for layer in range(3):
            assert torch.equal(replay.logits(batch, layer, hidden), whole)
            hidden = replay.output(batch, layer, hidden)
        assert torch.equal(replay.logits(batch, 3, hidden), whole)
    assert all("forward" not in layer.__dict__ for layer in model.model.layers)
    assert torch.equal(model(input_ids=batch.ids, use_cache=False).logits, plain)


@torch.no_grad()
def test_layers_before_the_start_do_not_run() -> None:
    model = random_model("llama")
    batch = pad(WINDOWS, "cpu")
    with Replay(model, model.model.layers) as replay:
        replay.check(batch)
        hidden = replay.output(batch, 0, None)
        nn.init.constant_(model.model.layers[0].mlp.down_proj.weight, float("nan"))
        assert torch.isfinite(replay.logits(batch, 1, hidden)).all()
        assert not torch.isfinite(replay.logits(batch)).all()


@torch.no_grad()
def test_a_hybrid_with_code_of_its_own_starts_at_any_layer(tmp_path: Path) -> None:
    model = load_model(save_hybrid(tmp_path / "hybrid"), "float32", trust_remote_code=True).eval()
    # Both kinds of attention: the dense one of short texts, and the sparse one beyond its threshold.
    for length in (DENSE_LENGTH // 2, 2 * DENSE_LENGTH):
        batch = pad([Window(tuple((7 * j + j * j) % 250 for j in range(length)), length // 2)], "cpu")
        layout = layout_of(model, [GATES])
        assert layout.root == "model.layers"
        assert {name for name, why in layout.spared.items() if why == "ignored"}
        with Replay(model, layout.layers) as replay:
            replay.check(batch)
            assert replay.exact
            hidden = replay.output(batch, 1, replay.output(batch, 0, None))
            assert torch.equal(replay.logits(batch, 2, hidden), replay.logits(batch))


class Shared(nn.Module):
    """A layer that reads what another left behind, as layers with shared keys do."""

    def __init__(self, memory: dict[str, Any], writes: bool) -> None:
        super().__init__()
        self.proj = nn.Linear(32, 32)
        self.memory, self.writes = memory, writes

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        if self.writes:
            self.memory["kept"] = self.proj(hidden_states)
            return hidden_states
        return hidden_states + self.memory["kept"]


class SharingModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        memory: dict[str, Any] = {}
        self.embedding, self.head = nn.Embedding(300, 32), nn.Linear(32, 300)
        self.layers = nn.ModuleList([Shared(memory, True), Shared(memory, False)])

    def forward(self, input_ids: torch.Tensor, logits_to_keep: torch.Tensor, use_cache: bool) -> Any:
        hidden = self.embedding(input_ids)
        for layer in self.layers:
            hidden = layer(hidden)
        return type("Output", (), {"logits": self.head(hidden)[:, logits_to_keep]})


@torch.no_grad()
def test_layers_that_share_more_than_a_hidden_state_run_whole_every_time() -> None:
    torch.manual_seed(0)
    model, batch = SharingModel(), pad(WINDOWS, "cpu")
    with Replay(model, model.layers) as replay:
        whole = replay.logits(batch)
        replay.check(batch)
        assert not replay.exact
        assert torch.equal(replay.logits(batch, 1, torch.zeros(4, 27, 32)), whole)
