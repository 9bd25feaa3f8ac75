"""What differs between recipes is told once, in words, with the shares that weights stand for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.compare.change import changes, shown
from curator.compare.recipe_words import recipe_changes
from curator.recipe.schema import Recipe

FILES = {"files": "a.jsonl", "task": "chat"}
CORPUS = {"corpus": "python-qa", "task": "qa"}


def recipe(*sources: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "one",
        "size": {"samples": 2, "tokens": 64},
        "target": {"tasks": {"qa": 1.0}},
        "sources": list(sources or [CORPUS]),
        **more,
    }


def stored(made: dict[str, Any]) -> dict[str, Any]:
    """As a manifest holds it: every key, those left at their default too."""
    return Recipe.model_validate(made).model_dump(mode="json")


def words(first: Any, second: Any) -> list[str]:
    return [change.words for change in recipe_changes(first, second)]


@pytest.mark.parametrize("nothing", [None, {}, [], "", {"a": None}, {"a": {"b": []}}])
def test_absent_null_and_empty_are_the_same(nothing: Any) -> None:
    assert changes({"key": nothing}, {}) == changes({}, {"key": nothing}) == []
    assert changes(nothing, nothing) == []


def test_zero_and_false_are_values_and_long_ones_are_shortened() -> None:
    assert [(one.place, one.first, one.second) for one in changes({"a": 0, "b": False}, {})] == [
        (("a",), 0, None),
        (("b",), False, None),
    ]
    assert changes({"a": 0}, {})[0].document()["words"] == "a: 0 -> none"
    assert shown("0123456789abcdef" * 4) == "0123456789ab"
    assert shown(list(range(9))) == "0, 1, 2, 3, 4, 5, ... (9 in all)"
    assert shown({"allow": ["en"], "x": None}) == "on (allow en)" and shown(False) == "off"


def test_weights_are_told_with_their_shares() -> None:
    first = recipe(target={"tasks": {"docs": 0.3, "qa": 1.2, "x": 1}}, continuity={"min": 0.2})
    second = recipe(target={"tasks": {"docs": 0.5, "qa": 1.2, "y": 0.3}}, continuity={"min": 0.3})
    assert words(stored(first), stored(second)) == [
        "weight of task docs 0.3 -> 0.5 (share 12 % -> 25 %)",
        "task qa: share 48 % -> 60 % (its weight is still 1.2)",
        "task x: gone, share was 40 %",
        "task y: new, share 15 %",
        "continuity min 0.2 -> 0.3",
    ]
    doubled = recipe(target={"tasks": {"docs": 0.6, "qa": 2.4, "x": 2}}, continuity={"min": 0.2})
    assert words(first, doubled)[0] == "weight of task docs 0.3 -> 0.6 (share 12 % as before)"


def test_sources_are_matched_by_what_they_read_and_weighed_within_their_task() -> None:
    other = {**CORPUS, "corpus": "other"}
    assert words(recipe(CORPUS, other), recipe(CORPUS, {**other, "weight": 3.0})) == [
        "corpus python-qa for qa: share of qa 50 % -> 25 % (its weight is still 1.0)",
        "weight of corpus other for qa 1.0 -> 3.0 (share of qa 50 % -> 75 %)",
    ]
    assert words(recipe({"generate": "niah"}, CORPUS), recipe(CORPUS, {**FILES, "columns": {"system": "s"}})) == [
        "generate niah: gone, share of niah was 100 %",
        "files a.jsonl for chat: new, share of chat 100 %",
    ]
    assert words(recipe(CORPUS, FILES), recipe(FILES, CORPUS)) == ["the same sources, in another order"]
    assert words(recipe(FILES), recipe({**FILES, "columns": {"system": "s"}})) == [
        "files a.jsonl for chat: columns system none -> s"
    ]


def test_sizes_lengths_languages_and_gates() -> None:
    bins = [{"upto": 128, "share": 1}, {"share": 3}]
    first = recipe(target={"tasks": {"qa": 1}, "lengths": bins, "by_task": {"qa": {"languages": {"en": 1}}}})
    second = recipe(
        size={"mix": [{"samples": 2, "tokens": 64}, {"samples": 1, "tokens": 4096}]},
        target={"tasks": {"qa": 1}, "lengths": [{"upto": 128, "share": 3}, {"share": 3}], "diversity": "coverage"},
        gates={"length": False, "by_task": {"qa": {"repetition": {"max_lines": 0.5}}}},
        quantize={"method": "awq"},
    )
    told = words(stored(first), stored(second))
    assert told == [
        "size 2 x 64 = 128 tokens -> 2 x 64 + 1 x 4,096 = 4,224 tokens",
        "weight of texts of up to 128 tokens 1.0 -> 3.0 (share 25 % -> 50 %)",
        "texts of more tokens: share 75 % -> 50 % (its weight is still 3.0)",
        "diversity none -> coverage",
        "language en of task qa: gone, share was 100 %",
        "gate length on (min_chars 200) -> off",
        "gate repetition of task qa max_lines none -> 0.5",
        "gate repetition of task qa max_ngrams none -> 0.4",
        "gate repetition of task qa max_compression none -> 10.0",
        "quantisation method gptq -> awq",
    ]


def test_a_recipe_of_fewer_keys_or_of_an_older_version_is_compared_as_far_as_it_goes() -> None:
    old = recipe(FILES, CORPUS)
    assert words(old, stored(old)) == words(stored(old), old) == []
    older = {"name": "x", "sources": [{"jsonl": "a.jsonl", "task": "qa"}]}
    assert words(older, {**older, "name": "y", "sources": [{}, 3]}) == [
        "jsonl a.jsonl for qa: gone, share of qa was 100 %",
        "name x -> y",
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["corpus", "tokens", "x"]), inner),
    max_leaves=8,
)
RECIPES = st.dictionaries(st.sampled_from(["size", "target", "sources", "gates", "x"]), VALUES)
TARGETS = st.dictionaries(st.sampled_from(["tasks", "lengths", "languages", "by_task", "low_continuity"]), VALUES)


@given(first=RECIPES, second=VALUES, target=TARGETS)
def test_damage_is_no_fault(first: dict[str, Any], second: Any, target: dict[str, Any]) -> None:
    for one, other in ((first, second), ({"target": target}, first), ({"gates": {"by_task": second}}, {})):
        assert all(change.document()["words"] for change in recipe_changes(one, other))
