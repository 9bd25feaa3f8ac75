"""What differs is told once and readably, and what only looks different is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.rank.differences import changes, manifest_changes, recipe_changes, shown
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


@pytest.mark.parametrize("nothing", [None, {}, [], "", {"a": None}, {"a": {"b": []}}])
def test_absent_null_and_empty_are_the_same(nothing: Any) -> None:
    assert changes({"key": nothing}, {}) == changes({}, {"key": nothing}) == []
    assert changes(nothing, nothing) == []


def test_zero_and_false_are_values() -> None:
    assert changes({"a": 0, "b": False}, {}) == ["a: 0 -> none", "b: false -> none"]


def test_values_stand_under_their_place_and_lists_as_a_whole() -> None:
    first = {"gates": {"language": {"allow": ["en"]}, "length": False}, "x": "one"}
    second = {"gates": {"language": False, "length": {"min_chars": 5}}, "x": "two"}
    assert changes(first, second) == [
        "gates.language: {allow: ['en']} -> false",
        "gates.length: false -> {min_chars: 5}",
        "x: 'one' -> 'two'",
    ]
    assert changes({"t": {"a": 1}}, {}) == ["t.a: 1 -> none"]
    assert changes({"mix": [{"samples": 1, "tokens": None}]}, {}) == ["mix: [{samples: 1}] -> none"]


def test_long_hashes_and_lists_are_shortened() -> None:
    assert shown("0123456789abcdef" * 4) == "0123456789ab"
    assert shown("0123456789abcdef") == "'0123456789abcdef'"
    assert shown(list(range(9))) == "[0, 1, 2, 3, 4, 5, ... (9 in all)]"


def test_a_recipe_of_fewer_keys_differs_in_nothing_that_is_default() -> None:
    old = recipe(FILES, CORPUS)
    assert recipe_changes(old, stored(old)) == recipe_changes(stored(old), old) == []
    changed = recipe({**FILES, "columns": {"system": "sys"}}, CORPUS, tokens={"pack": "bfd"})
    assert recipe_changes(old, stored(changed)) == [
        "tokens.pack: 'concat' -> 'bfd'",
        "files a.jsonl for chat: columns.system: none -> 'sys'",
    ]


def test_sources_are_matched_by_what_they_read() -> None:
    first = recipe({"generate": "niah"}, CORPUS, FILES)
    second = recipe(FILES, {**CORPUS, "weight": 2.0})
    assert recipe_changes(first, second) == [
        "generate niah: only in the first",
        "corpus python-qa for qa: weight: 1.0 -> 2.0",
    ]
    assert recipe_changes(recipe(CORPUS, CORPUS), recipe(CORPUS)) == ["corpus python-qa for qa: only in the first"]
    assert recipe_changes(recipe(CORPUS, FILES), recipe(FILES, CORPUS)) == ["the same sources, in another order"]


def test_a_recipe_that_is_none_any_more_is_compared_as_it_is() -> None:
    old = {"name": "x", "sources": [{"jsonl": "a.jsonl", "task": "qa"}]}
    assert recipe_changes(old, {**old, "name": "y", "sources": [{}, 3]}) == [
        "name: 'x' -> 'y'",
        "jsonl a.jsonl for qa: only in the first",
    ]
    assert recipe_changes(None, []) == []


def test_sets_differ_in_hash_shares_tokens_and_licences() -> None:
    first = {
        "set_hash": "a" * 64,
        "tokens": 1024,
        "model": "m",
        "shares": {"qa": 0.25, "code": 0.75},
        "licences": [{"licence": "MIT", "documents": 1, "tokens": 1024}],
        "dropped": {"short": 1},
        "sources": [{"corpus": "c", "revision": "v1"}],
        "tokenizer": {"fingerprint": "f" * 64},
    }
    second = {
        **first,
        "set_hash": "b" * 64,
        "tokens": 2048,
        "model": "n",
        "shares": {"qa": 0.25, "prose": 0.75},
        "licences": [{"licence": "BSD-2-Clause", "documents": 1, "tokens": 2048}],
        "dropped": {"short": 1001},
        "sources": [{"corpus": "c", "revision": "v2"}],
        "tokenizer": {"fingerprint": "e" * 64},
    }
    assert manifest_changes(first, second) == {
        "set": [
            "set_hash: aaaaaaaaaaaa -> bbbbbbbbbbbb",
            "tokens: 1024 -> 2048",
            "model: 'm' -> 'n'",
            "tokenizer.fingerprint: ffffffffffff -> eeeeeeeeeeee",
            "revision of c: 'v1' -> 'v2'",
        ],
        "shares": ["code: 75.00% -> 0.00%", "prose: 0.00% -> 75.00%"],
        "licences": ["MIT: 1,024 tokens -> 0 tokens", "BSD-2-Clause: 0 tokens -> 2,048 tokens"],
        "dropped": ["short: 1 -> 1,001"],
    }


KEYS = ("set_hash", "tokens", "model", "shares", "licences", "dropped", "sources", "tokenizer")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["corpus", "tokens", "x"]), inner),
    max_leaves=8,
)


@given(
    manifest=st.dictionaries(st.sampled_from(KEYS), VALUES), other=st.dictionaries(st.sampled_from(KEYS), VALUES)
)
def test_what_a_set_does_not_record_is_no_difference_and_damage_is_no_fault(
    manifest: dict[str, Any], other: dict[str, Any]
) -> None:
    assert not any(manifest_changes(manifest, {}).values())
    manifest_changes(manifest, other)
    recipe_changes(manifest, other)
