from __future__ import annotations

import pytest

from curator._errors import InputError
from curator.quantize.checkpoint.patterns import Layout, Patterns
from curator.recipe import name_pattern

Q, DOWN = "model.layers.1.self_attn.q_proj", "model.layers.11.mlp.experts.3.down_proj"
CT: Layout = "compressed-tensors"


@pytest.mark.parametrize(
    ("layout", "entry", "matched"),
    [
        (CT, "Linear", {Q, DOWN, "lm_head"}),
        (CT, Q, {Q}),
        # A name holds for itself alone, and a pattern from the start of the name.
        (CT, "model.layers.1.self_attn", set()),
        (CT, "self_attn.q_proj", set()),
        (CT, "re:.*q_proj", {Q}),
        (CT, "re:q_proj", set()),
        (CT, "re:model.layers.1", {Q, DOWN}),
        (CT, r"re:.*\.experts\.\d+\..*", {DOWN}),
        (CT, "*q_proj", set()),
        ("modelopt", Q, {Q}),
        ("modelopt", "model.layers.1.self_attn", {Q}),
        ("modelopt", "model.layers.1*", {Q, DOWN}),
        ("modelopt", "model.layers.1.*", {Q}),
        ("modelopt", "*self_attn*", {Q}),
        ("modelopt", "*layers*1*q_*j", {Q}),
        ("modelopt", "*layers*proj*proj", set()),
        ("modelopt", "*", {Q, DOWN, "lm_head"}),
        # Would take for ever by backtracking.
        ("modelopt", "*l*" * 12 + "x", set()),
        ("modelopt", "q_proj", {Q}),
        ("modelopt", "layers.1.self_attn.q_proj", set()),
        ("modelopt", "lm_head", {"lm_head"}),
        # A dot is a dot.
        ("modelopt", "model.layers.1.self_attn.q.proj", set()),
        ("modelopt", "re:.*q_proj", set()),
        # The two ways in which a model with images wraps its language model.
        ("modelopt", "model.language_model.layers.1.self_attn.q_proj", {Q}),
        ("modelopt", "language_model.layers.1.*", set()),
    ],
)
def test_what_an_entry_holds_for(layout: Layout, entry: str, matched: set[str]) -> None:
    patterns = Patterns([entry], layout, "here")
    assert {name for name in (Q, DOWN, "lm_head") if patterns.match(name)} == matched


def test_entries_that_match_nothing() -> None:
    modules = {f"{Q}", f"{DOWN}", "model.embed_tokens"}
    entries = [Q, "layers.1.self_attn.q_proj", "lm_head", "re:.*k_proj", "re:.*down", "model.layers.1", "LlamaMLP"]
    found = Patterns(entries, CT, "here").matching_nothing(modules)
    assert found == ["layers.1.self_attn.q_proj", "lm_head", "re:.*k_proj"]
    entries = ["*.k_proj", "model.layers.1*", "experts", "layers.1.self_attn.q_proj", "mtp*"]
    assert Patterns(entries, "modelopt", "here").matching_nothing(modules) == [
        "*.k_proj",
        "layers.1.self_attn.q_proj",
        "mtp*",
    ]


def test_a_broken_expression_is_named() -> None:
    with pytest.raises(InputError, match=r"here: 're:\[' is no regular expression"):
        Patterns(["re:["], CT, "here")


def test_a_hostile_expression_does_not_hang_what_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_pattern, "_SECONDS", 0.05)
    patterns = Patterns(["re:(.*.*)*.*x$"], CT, "here")
    for ask in (lambda: patterns.match(Q), lambda: patterns.matching_nothing({Q})):
        with pytest.raises(InputError, match=r"'re:\(\.\*\.\*\)\*\.\*x\$' takes more than"):
            ask()
