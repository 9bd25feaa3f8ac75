"""A mixture of experts in which one expert sees no token, through the real quantiser."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny_models.moe import EXPERTS, UNSEEN, save_moe

from curator._errors import RefusedError
from curator._files import read_json
from curator.quantize.checkpoint import Tensors, open_checkpoint
from curator.quantize.run import Job, quantize_many
from curator.recipe.quantize_settings import QuantizeSettings

pytestmark = pytest.mark.model

ROWS = [[(7 * row + 3 * column * column) % 250 for column in range(20 + row)] for row in range(6)]
POLICIES = {
    "refuse": ("gptq", "refuse"),
    "report": ("gptq", "report"),
    "max": ("max", "report"),
    "all": ("gptq", "all"),
}
LEAVES = ("gate_proj", "up_proj", "down_proj")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Checkpoints of every policy, by one child process, and what was refused."""
    folder = tmp_path_factory.mktemp("experts")
    save_moe(folder / "model", "qwen3_moe")
    jobs = [
        Job(QuantizeSettings(method=method, experts=experts), ROWS, "hash", folder / name)  # type: ignore[arg-type]
        for name, (method, experts) in POLICIES.items()
    ]
    with pytest.raises(RefusedError) as caught:
        quantize_many(folder / "model", jobs)
    return folder, str(caught.value)


def name(layer: int, expert: int, leaf: str) -> str:
    return f"model.layers.{layer}.mlp.experts.{expert}.{leaf}"


def test_refused_with_its_name_and_what_to_do(made: tuple[Path, str]) -> None:
    folder, words = made
    assert f"model.layers.0.mlp.experts: no token of the set reaches expert {UNSEEN} of {EXPERTS}" in words
    assert "`experts: all`" in words
    assert not (folder / "refuse").exists()


@pytest.mark.parametrize("policy", ["report", "max", "all"])
def test_the_receipt_has_the_tokens_of_each_expert(made: tuple[Path, str], policy: str) -> None:
    receipt = read_json(made[0] / policy / "curate.json")
    layers = receipt["reached_model"]["experts"]
    assert [layer["name"] for layer in layers] == ["model.layers.0.mlp.experts", "model.layers.1.mlp.experts"]
    for layer in layers:
        assert sum(layer["tokens"]) == 2 * sum(map(len, ROWS))
        assert [index for index, seen in enumerate(layer["tokens"]) if not seen] == [UNSEEN]
    assert sum(f"expert {UNSEEN}" in warning for warning in receipt["warnings"]) == 2


@pytest.mark.parametrize("policy", ["report", "max"])
def test_reported_experts_are_rounded_to_nearest_with_the_scales_of_their_neighbours(
    made: tuple[Path, str], policy: str
) -> None:
    folder, _ = made
    source = load_file(folder / "model" / "model.safetensors")
    with ExitStack() as stack, open_checkpoint(folder / policy) as checkpoint:
        tensors = Tensors(folder / policy, stack)
        for layer in range(2):
            for leaf in LEAVES:
                scales = [tensors[f"{name(layer, e, leaf)}.input_global_scale"].item() for e in range(EXPERTS)]
                others = [scale for expert, scale in enumerate(scales) if expert != UNSEEN]
                assert scales[UNSEEN] == min(others) > 0
                weight = source[f"{name(layer, UNSEEN, leaf)}.weight"].float()
                error = checkpoint.linears[name(layer, UNSEEN, leaf)].weight() - weight
                # GPTQ alone would have written zeros: an error of 1.
                assert 0.02 < float(error.norm() / weight.norm()) < 0.15


def test_rounding_to_nearest_is_what_max_does(made: tuple[Path, str]) -> None:
    folder, _ = made
    with open_checkpoint(folder / "report") as gptq, open_checkpoint(folder / "max") as plain:
        for leaf in LEAVES:
            unseen, seen = name(0, UNSEEN, leaf), name(0, 0, leaf)
            assert torch.equal(gptq.linears[unseen].weight(), plain.linears[unseen].weight())
            assert not torch.equal(gptq.linears[seen].weight(), plain.linears[seen].weight())


def test_all_experts_get_scales_of_their_own(made: tuple[Path, str]) -> None:
    folder, _ = made
    with ExitStack() as stack:
        tensors, reported = Tensors(folder / "all", stack), Tensors(folder / "report", stack)
        for leaf in LEAVES:
            scale = tensors[f"{name(0, UNSEEN, leaf)}.input_global_scale"]
            assert torch.isfinite(scale).all()
            assert scale.item() > 0
        packed = f"{name(0, UNSEEN, 'down_proj')}.weight_packed"
        assert not torch.equal(tensors[packed], reported[packed])
