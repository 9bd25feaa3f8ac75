"""What reached a model, counted on tiny models whose routing is known."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
import torch
from tiny_models.moe import EXPERTS, KINDS, PER_TOKEN, UNSEEN, tiny_moe
from torch import nn

from curator._errors import RefusedError
from curator.adapters.tensors import tensor_batches
from curator.quantize.audit.experts import expert_layers
from curator.quantize.audit.reached import check_reached
from curator.quantize.audit.unseen import fill_unseen
from curator.quantize.audit.watch import refusal_in, watch
from curator.quantize.rows import row_digest

# Ragged, and one row twice.
ROWS = [[(7 * row + 3 * column * column) % 250 for column in range(12 + row % 3)] for row in range(7)]
ROWS.append(ROWS[2])
TOKENS = sum(map(len, ROWS))


@torch.inference_mode()
def feed(model: Any, rows: list[list[int]] = ROWS, batch_size: int = 1) -> None:
    for batch in tensor_batches(rows, batch_size):
        model(**batch, use_cache=False)


@pytest.mark.parametrize("batch_size", [1, 2, 4])
def test_each_token_counts_once_whatever_the_batches_the_order_and_the_passes(batch_size: int) -> None:
    shuffled = random.Random(batch_size).sample(ROWS, len(ROWS))
    model = tiny_moe()
    with watch(model, ROWS) as audit:
        feed(model, shuffled, batch_size)
        feed(model, ROWS, batch_size)
    counts = audit.counts()
    assert (counts["sequences"], counts["tokens"]) == (len(ROWS), TOKENS)
    assert counts["lengths"] == {"12": 3, "13": 2, "14": 3}
    assert Counter(counts["digests"]) == Counter(map(row_digest, ROWS))
    assert counts["others"] == []
    check_reached(counts, ROWS, "report")
    assert not [hook for module in model.modules() for hook in module._forward_pre_hooks]


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_tokens_of_each_expert_whatever_the_class(kind: str) -> None:
    model = tiny_moe(kind)
    with watch(model, ROWS) as audit:
        feed(model)
        feed(model)
    layers = audit.counts()["layers"]
    # The first layer of DeepSeek's is dense; JetMoE's attention has experts too, in two modules each.
    assert len(layers) == {"deepseek_v3": 1, "jetmoe": 8}.get(kind, 2)
    for layer in layers:
        assert sum(layer["tokens"]) == PER_TOKEN * TOKENS
        assert [index for index, seen in enumerate(layer["tokens"]) if not seen] == [UNSEEN]


def test_the_counts_are_those_of_the_routers_own_logits() -> None:
    model = tiny_moe("qwen3_moe", unseen=False)
    with watch(model, None) as audit, torch.inference_mode():
        logits = [
            model(input_ids=torch.tensor([row]), output_router_logits=True, use_cache=False).router_logits
            for row in ROWS
        ]
    for number, layer in enumerate(audit.counts()["layers"]):
        chosen = torch.cat([row[number] for row in logits]).topk(PER_TOKEN, dim=-1).indices
        assert layer["tokens"] == torch.bincount(chosen.flatten(), minlength=EXPERTS).tolist()


def test_taken_apart_experts_are_counted_as_routed_also_when_all_see_all_tokens() -> None:
    from llmcompressor.modeling.moe.context import moe_calibration_context
    from llmcompressor.modeling.moe.linearize import linearize_moe

    model = tiny_moe("qwen3_moe")
    with watch(model, ROWS) as fused:
        feed(model)
    linearize_moe(model)
    with watch(model, ROWS) as audit, moe_calibration_context():
        feed(model)
    ours, theirs = audit.counts()["layers"], fused.counts()["layers"]
    assert ours[0]["tokens"] == theirs[0]["tokens"]
    assert [layer["fused"] for layer in (ours[0], theirs[0])] == [False, True]
    assert len(expert_layers(model)[0].linears(UNSEEN)) == 3


class Own(nn.Module):
    """A model of old custom code: a list of experts, each called on its tokens, which are those of its number."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(300, 8)
        self.block = nn.Module()
        self.block.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
        self.block.forward = self.route

    def route(self, x: torch.Tensor, to: list[int]) -> torch.Tensor:
        for index, expert in enumerate(self.block.experts):
            own = [place for place, expert_of in enumerate(to) if expert_of == index]
            if own:
                x[own] = expert(x[own])
        return x

    def forward(self, input_ids: torch.Tensor, **_: Any) -> torch.Tensor:
        return self.block(self.embed(input_ids)[0], [int(value) % 3 for value in input_ids[0]])

    def get_input_embeddings(self) -> nn.Module:
        raise NotImplementedError


def test_experts_that_custom_code_calls_one_by_one() -> None:
    model = Own()
    with watch(model, ROWS) as audit:
        feed(model)
        feed(model)
    counts = audit.counts()
    kinds = Counter(value % 3 for row in ROWS for value in row)
    assert [layer["tokens"] for layer in counts["layers"]] == [[kinds[0], kinds[1], kinds[2], 0]]
    assert counts["tokens"] == TOKENS
    # No library can have all of them see all tokens.
    with pytest.raises(RefusedError, match=r"block\.experts: .* expert 3 .*`experts: all` cannot change"):
        check_reached(counts, ROWS, "all")


def test_an_expert_without_a_token_is_refused_at_once_or_handed_on() -> None:
    model = tiny_moe()
    handed: list[list[nn.Linear]] = []
    with watch(model, ROWS, on_unseen=handed.append):
        feed(model)
    assert handed == [[], []]  # fused: nothing to take apart
    with watch(model, ROWS, stop_on_unseen=True) as audit:
        # Until the whole set went through, an expert may still be reached.
        feed(model, ROWS[:-1])
        with pytest.raises(RefusedError, match=rf"layers\.0\.mlp\.experts: no token .* expert {UNSEEN} of 5"):
            feed(model, ROWS[-1:])
    assert audit.counts()["tokens"] == TOKENS
    reached = tiny_moe(unseen=False)
    with watch(reached, ROWS, stop_on_unseen=True):
        feed(reached)


def test_a_refusal_is_found_in_what_a_library_made_of_it() -> None:
    refusal = RefusedError("no token")
    try:
        try:
            raise refusal
        except RefusedError as error:
            raise RuntimeError("in the forward pass") from error
    except RuntimeError as error:
        assert refusal_in(error) is refusal
    assert refusal_in(ValueError("other")) is None


def test_experts_that_cannot_be_counted_are_named() -> None:
    model = tiny_moe()
    for layer in model.model.layers:
        layer.mlp.experts.forward = lambda hidden, *_: hidden
        layer.mlp.experts = nn.Identity()
        layer.mlp.forward = lambda hidden: hidden
    with watch(model, ROWS) as audit:
        feed(model)
    counts = audit.counts()
    assert counts["uncounted"] == ["the 5 experts of MixtralForCausalLM"]
    with pytest.raises(RefusedError, match=r"the 5 experts .* cannot be counted; `experts: report`"):
        check_reached(counts, ROWS, "refuse")
    assert "cannot be counted" in check_reached(counts, ROWS, "report")[0]


def counted(rows: list[list[int]], **more: Any) -> dict[str, Any]:
    return {"digests": [row_digest(row) for row in rows], **more}


@pytest.mark.parametrize(
    ("reached", "words"),
    [
        (ROWS[1:], "1 of 8 rows never .* 0 other"),
        # The row that the set has twice came once.
        (ROWS[:-1], "1 of 8 rows never .* 0 other"),
        ([*ROWS, [9, 9]], "0 of 8 rows never .* 1 other"),
        ([row[:10] for row in ROWS], "8 of 8 rows never .* 8 other"),
    ],
)
def test_other_rows_than_the_sets_are_refused(reached: list[list[int]], words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        check_reached(counted(reached), ROWS, "refuse")


def test_rows_that_come_in_a_later_pass_only_are_others() -> None:
    model = tiny_moe()
    with watch(model, ROWS) as audit:
        feed(model)
        feed(model, [[1, 2, 3]])
    with pytest.raises(RefusedError, match=r"0 of 8 rows never .* 1 other"):
        check_reached(audit.counts(), ROWS, "report")


def test_policies_for_experts_without_a_token() -> None:
    layer = {"name": "l.0.experts", "tokens": [4, 0, 2, 0], "fused": False, "by_calls": False}
    counts = counted(ROWS, layers=[layer, {**layer, "name": "l.1.experts"}])
    with pytest.raises(RefusedError, match=r"l\.0\.experts: .*experts 1, 3 \(2 such layers\).*`experts: all`"):
        check_reached(counts, ROWS, "refuse")
    # Not every library has a way to show all tokens to all experts.
    with pytest.raises(RefusedError, match=r"or take `experts: report`$"):
        check_reached(counts, ROWS, "refuse", can_show_all=False)
    for policy, words in (("report", "rounded without data"), ("all", "all tokens of the set were shown")):
        notes = check_reached(counts, ROWS, policy)  # type: ignore[arg-type]
        assert [note.partition(":")[0] for note in notes] == ["l.0.experts", "l.1.experts"]
        assert words in notes[0]
    # Experts that are not taken apart stay in BF16: they need no scale.
    (note,) = check_reached(counted(ROWS, layers=[{**layer, "fused": True}]), ROWS, "refuse")
    assert "stay in BF16" in note


def test_an_unseen_expert_gets_the_widest_scales_of_its_layer() -> None:
    model = nn.Module()
    model.experts = nn.ModuleList(
        nn.ModuleDict({"up": nn.Linear(4, 4), "down": nn.Linear(4, 4)}) for _ in range(3)
    )
    for index, expert in enumerate(model.experts):
        for leaf, scale in (("up", 600.0 + index), ("down", 900.0 - index)):
            expert[leaf].register_buffer("input_global_scale", torch.tensor([scale]))
    model.experts[0]["up"].input_global_scale.fill_(float("nan"))
    layer = {"name": "experts", "tokens": [0, 3, 5], "fused": False, "by_calls": False}
    fill_unseen(model, {"layers": [layer]})
    # Divisors: the least is that of the largest activations.
    assert [model.experts[0][leaf].input_global_scale.item() for leaf in ("up", "down")] == [601.0, 898.0]
    assert model.experts[1]["up"].input_global_scale.item() == 601.0
    model.experts[0]["up"].input_global_scale.fill_(7.0)
    fill_unseen(model, {"layers": [{**layer, "tokens": [1, 1, 1]}]})
    assert model.experts[0]["up"].input_global_scale.item() == 7.0
