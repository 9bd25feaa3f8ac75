"""What reaches the model, in which batches, and by which pipeline."""

from __future__ import annotations

import copy
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from runs import SETS, changed_leaves, hashes, run, tensors_of
from safetensors.torch import save_file
from tiny_models.hybrid import GATES, save_hybrid
from tiny_models.moe import UNSEEN, save_moe
from transformers import LlamaConfig, LlamaForCausalLM

from curator._errors import InputError, RefusedError
from curator.adapters.tensors import tensor_batches
from curator.quantize.audit.reached import check_reached
from curator.quantize.audit.watch import refusal_in
from curator.quantize.checkpoint import check_checkpoint, verify_checkpoint
from curator.quantize.checkpoint.reference import LayerError
from curator.quantize.llm_compressor.same_model import is_the_model
from curator.quantize.llm_compressor.tracing import Untraceable, trace
from curator.serve.in_process import InProcess
from curator.serve.interface import Window

pytestmark = pytest.mark.filterwarnings("ignore")

LENGTHS = [20, 20, 20, 20, 20, 33, 17, 17, 33]


@pytest.mark.parametrize(
    ("size", "batches"),
    [(1, {"1": 9}), (2, {"1": 3, "2": 3}), (4, {"1": 3, "2": 1, "4": 1})],
)
@pytest.mark.parametrize("pipeline", ["sequential", "basic"])
def test_exactly_the_sets_tokens_reach_the_model(
    tiny_model: Path, tmp_path: Path, size: int, batches: dict[str, int], pipeline: str
) -> None:
    """Whatever the batch: nothing padded, cut, dropped or repeated."""
    rows = [[(5 * row + 7 * at) % 290 + 2 for at in range(length)] for row, length in enumerate(LENGTHS)]
    answer = run(tiny_model, tmp_path / "out", rows, method="smoothquant", batch_size=size, pipeline=pipeline)
    assert (answer["sequences"], answer["tokens"]) == (9, sum(LENGTHS))
    assert answer["lengths"] == {"17": 2, "20": 5, "33": 2}
    assert answer["batches"] == batches
    assert answer["pipeline"] == pipeline
    assert check_reached(answer, rows, "refuse") == []
    with pytest.raises(RefusedError, match="changed the calibration set"):
        check_reached(answer, [*rows[1:], rows[1]], "refuse")


@pytest.mark.parametrize("method", ["gptq", "awq", "smoothquant-gptq", "max"])
def test_the_whole_model_at_once_gives_the_method_not_less(tiny_model: Path, tmp_path: Path, method: str) -> None:
    """The library's basic pipeline makes AWQ skip every layer with a line in the log."""
    quick = {"grid": 3} if method == "awq" else {}
    for pipeline in ("basic", "sequential"):
        run(tiny_model, tmp_path / pipeline, method=method, pipeline=pipeline, **quick)
    changed = changed_leaves(tmp_path / "basic", tmp_path / "sequential")
    # GPTQ looks at what the quantised layers before it give, max calibration does not.
    assert ("weight_packed" in changed) or method == "max"
    assert not changed or method != "max"
    made, source = tensors_of(tmp_path / "basic"), tensors_of(tiny_model)
    scaled = [name for name in source if "norm" in name and not torch.equal(made[name], source[name])]
    assert bool(scaled) == (method in ("awq", "smoothquant-gptq"))


def test_custom_code_that_cannot_be_traced_is_run_whole(tmp_path: Path) -> None:
    folder = save_hybrid(tmp_path / "hybrid")
    rows = [[(3 * row + at) % 250 for at in range(40 + 8 * row)] for row in range(3)]
    settings: dict[str, Any] = {"method": "gptq", "ignore": [GATES]}
    answer = run(folder, tmp_path / "out", rows, remote_code=True, **settings)
    assert answer["pipeline"] == "basic"
    assert "cannot be run layer by layer" in answer["notes"][0]
    assert "0x" not in answer["notes"][0]
    assert answer["tokens"] == sum(map(len, rows))
    assert check_checkpoint(tmp_path / "out", asked="W4A4").linears > 0
    packed = [name for name in hashes(tmp_path / "out") if name.endswith("weight_packed")]
    assert not any("o_gate" in name or "z_proj" in name for name in packed)
    assert list((tmp_path / "out").glob("*.py"))
    with pytest.raises(InputError, match="use pipeline: basic, or auto"):
        run(folder, tmp_path / "again", rows, remote_code=True, pipeline="sequential", **settings)


class ByLength(LlamaForCausalLM):
    """Goes another way for rows of more than 30 tokens, as attention that turns sparse does."""

    def forward(self, input_ids: Any = None, attention_mask: Any = None, use_cache: Any = False) -> Any:
        hidden = self.model.embed_tokens(input_ids)
        # Written with ``if``, the library would see to it.
        hidden = hidden * [1, 2][self.turns_at < len(input_ids[0])]
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        embedding = self.model.rotary_emb(hidden, positions)
        for layer in self.model.layers:
            hidden = layer(hidden, position_embeddings=embedding, attention_mask=None)
        return self.lm_head(self.model.norm(hidden))


def test_a_graph_that_is_not_the_model_for_other_lengths_is_not_used() -> None:
    torch.manual_seed(3)
    config = LlamaConfig(vocab_size=300, hidden_size=32, intermediate_size=32, num_hidden_layers=2)
    config.num_attention_heads = config.num_key_value_heads = 2
    model = ByLength(config).eval()
    batches = tensor_batches(SETS["a"], 2)
    model.turns_at = 100
    assert len(trace(model, batches)) == 3
    model.turns_at = 25
    with pytest.raises(Untraceable, match="its graph gives other results than the model on rows of 26 tokens"):
        trace(model, batches)


def test_knowing_that_the_graph_is_the_model_costs_one_run_of_its_layers(tiny_model: Path) -> None:
    """What a layer has just given under the same arguments, it need not compute again."""
    model = LlamaForCausalLM.from_pretrained(tiny_model, dtype="bfloat16").eval()
    batches = tensor_batches(SETS["a"][:2], 1)
    parts = trace(model, batches)
    forwards = [module.__dict__.get("forward") for module in model.modules()]
    runs: list[int] = []
    for number, layer in enumerate(model.model.layers):
        layer.mlp.register_forward_hook(lambda *_, number=number: runs.append(number))
    assert is_the_model(model, parts, batches[0])
    assert runs == [0, 1]
    assert [module.__dict__.get("forward") for module in model.modules()] == forwards
    # A layer that the parts leave out is seen, and no other's answer is taken for its own.
    without = replace(parts[1], graph=skipping(parts[1]), _code=None)
    assert not is_the_model(model, [parts[0], without, *parts[2:]], batches[0])


def skipping(part: Any) -> Any:
    """The graph of a part without its layer: the hidden state goes by."""
    graph = copy.deepcopy(part.graph)
    (node,) = [node for node in graph.nodes if node.op == "call_module"]
    node.replace_all_uses_with(node.args[0])
    graph.erase_node(node)
    return graph


def test_an_expert_without_tokens_is_refused_reported_or_fed_all(tmp_path: Path) -> None:
    folder = save_moe(tmp_path / "moe", "mixtral")
    rows = [[(3 * row + at * at) % 250 for at in range(60)] for row in range(3)]
    with pytest.raises((RefusedError, RuntimeError)) as caught:
        run(folder, tmp_path / "refuse", rows, method="gptq")
    refused = refusal_in(caught.value)
    assert refused is not None
    assert f"expert {UNSEEN}" in str(refused)
    for experts in ("report", "all"):
        answer = run(folder, tmp_path / experts, rows, method="gptq", experts=experts)
        notes = [*answer["notes"], *check_reached(answer, rows, experts)]
        assert any(f"expert {UNSEEN}" in note for note in notes)
        assert check_checkpoint(tmp_path / experts, asked="W4A4").linears == 2 * (4 + 3 * 5)


def test_rounding_needs_no_tokens_and_mixtrals_names_are_measured(tmp_path: Path) -> None:
    folder = save_moe(tmp_path / "moe", "mixtral")
    run(folder, tmp_path / "saved", [[1, 2, 3, 4]], method="rtn")
    saved = tensors_of(tmp_path / "saved")
    # As others save it, by the names of the model's own file.
    spelt = {
        re.sub(r"experts\.\d+\.(\w+)_proj", lambda m: m[0].replace(f"{m[1]}_proj", OLD[m[1]]), name): tensor
        for name, tensor in saved.items()
    }
    shutil.copytree(tmp_path / "saved", tmp_path / "older")
    save_file(spelt, tmp_path / "older" / "model.safetensors")
    assert sum(".w1." in name for name in spelt) == 2 * 5 * 4
    window = Window(tuple(range(40)), 1)
    for scheme in ("W4A16", "W4A4"):
        servers = (InProcess(tmp_path / name, scheme) for name in ("saved", "older"))
        one, other = (next(iter(server.score([window], 4, 1))).logits for server in servers)
        assert one is not None
        assert other is not None
        assert (one == other).all()
    assert {linear.error < 0.12 for linear in errors(tmp_path / "older", folder)} == {True}
    assert len(errors(tmp_path / "older", folder)) == 2 * (4 + 3 * 5)


OLD = {"gate": "w1", "down": "w2", "up": "w3"}


def errors(checkpoint: Path, reference: Path) -> list[LayerError]:
    found = verify_checkpoint(checkpoint, reference=reference).errors
    assert found is not None
    return found
