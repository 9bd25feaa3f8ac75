"""Whatever stands at whatever key, the words are ours and the place is right."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from curator.recipe.faults import schema_faults
from curator.recipe.positions import Location
from curator.recipe.references import reference_faults
from curator.recipe.schema import Recipe

WHOLE: dict[str, Any] = {
    "name": "x",
    "title": "t",
    "seed": 1,
    "model": "m",
    "size": {"samples": 4, "tokens": 64},
    "target": {"tasks": {"chat": 1.0}},
    "sources": [
        {"files": ["a"], "task": "chat", "language": "en", "licence": "MIT", "weight": 1.0, "format": "auto"},
        {"files": "a", "task": "chat", "columns": {"text": "body"}, "unit": "line", "bad_rows": "skip"},
        {"corpus": "python-qa", "task": "chat", "weight": 2},
        {"dataset": "a/b", "task": "chat", "revision": "r", "split": "train", "pool_rows": 5},
        {"generate": "niah", "task": "chat", "options": {"needles": "words"}},
    ],
    "gates": {
        "length": {"min_chars": 1},
        "random_text": {"max_share": 0.5},
        "duplicates": {},
        "language": {"allow": ["en"]},
        "licence": {"allow": ["MIT"], "forbid": ["ISC"]},
    },
    "continuity": {"min": "auto"},
    "tokens": {"template": "model", "bos": "auto", "pack": "bfd", "reasoning": "keep", "separator": "eos"},
    "export": ["jsonl"],
}
JUNK = [
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "junk",
    [],
    [[]],
    [0],
    {},
    {"a": {}},
    {1: 2},
]


def places(value: Any, at: Location = ()) -> Iterator[Location]:
    if at:
        yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*at, key))


def with_value(where: Location, value: Any) -> dict[str, Any]:
    values = copy.deepcopy(WHOLE)
    node: Any = values
    for step in where[:-1]:
        node = node[step]
    node[where[-1]] = value
    return values


def test_the_whole_recipe_is_right() -> None:
    Recipe.model_validate(WHOLE)


@pytest.mark.parametrize("where", list(places(WHOLE)), ids=lambda where: ".".join(map(str, where)))
def test_junk_anywhere_is_told_in_our_words(where: Location) -> None:
    told = 0
    for junk in JUNK:
        values = with_value(where, junk)
        try:
            Recipe.model_validate(values)
        except ValidationError as error:
            for place, words in schema_faults(values, error):
                told += 1
                assert place[: len(where)] == where or where[: len(place)] == place
                for foreign in ("Input", "should", "valid", "None", "dict", "Traceback", "\n", "literal"):
                    assert foreign not in words, words
        # The look-ups take whatever stands there.
        reference_faults(values, lambda _: Path("nowhere"))
    assert told or where[-1] in {"title", "model"}
