from typing import Any

import pytest
from pydantic import ValidationError

from curator.corpora.reading import Reading


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"columns": {"text": "a", "messages": "b"}}, "text and messages say twice what a row is"),
        ({"columns": {"prompt": "a"}}, "prompt and response go together"),
        ({"columns": {"response": "a"}}, "prompt and response go together"),
        ({"columns": {"text": "a", "choices": "b"}}, "choices goes with prompt and response"),
        ({"columns": {"text": "a", "tools": "b"}}, "tools belongs to a conversation"),
        ({"columns": {"txt": "a"}}, "Extra inputs"),
        ({"columns": {"text": "a"}, "join": "{b}"}, "join makes a plain text of columns"),
        ({"join": "no column"}, "names no column"),
        ({"join": "{a"}, "a brace without its partner"),
        ({"join": "{a.__class__[0]}"}, "write only a column between braces"),
        ({"join": "{a!r}"}, "write only a column between braces"),
        ({"join": "{a:>10}"}, "write only a column between braces"),
        ({"join": "{}"}, "write only a column between braces"),
        ({"encoding": "klingon"}, "is no text encoding"),
        ({"format": "jsonl", "unit": "line"}, "unit is for plain text"),
        ({"format": "xml"}, "Input should be"),
    ],
)
def test_keys_that_make_no_sense_are_refused(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Reading.model_validate(keys)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"join": "{{{a}}} {b.c.0}"},
        {"columns": {"language": "lang"}, "join": "{a}"},
        {"columns": {"messages": "m", "system": "s", "tools": "t"}},
        {
            "columns": {
                "prompt": "p",
                "response": "r",
                "context": "c",
                "choices": "o",
                "reasoning": "t",
                "system": "s",
            }
        },
        {"format": "text", "unit": "paragraph", "encoding": "cp1252"},
    ],
)
def test_keys_that_make_sense(keys: dict[str, Any]) -> None:
    Reading.model_validate(keys)


READINGS: list[dict[str, Any]] = [
    {},
    {"unit": "line"},
    {"unit": "paragraph"},
    {"encoding": "latin-1"},
    {"encoding": "cp1252"},
    {"format": "text"},
    {"format": "csv"},
    {"join": "{a}"},
    {"join": "{a} {b}"},
    {"join": "{a}", "encoding": "latin-1"},
    *(
        {"columns": columns}
        for columns in (
            {"text": "text"},
            {"text": "a"},
            {"text": "a+b"},
            {"messages": "conversations"},
            {"system": "s"},
            {"system": "t"},
            {"tools": "s"},
            {"prompt": "a", "response": "b"},
            {"prompt": "a+b", "response": "c"},
            {"prompt": "a", "response": "b+c"},
            *(
                {"prompt": "a", "response": "b", beside: name}
                for beside in ("context", "system", "reasoning", "choices", "tools")
                for name in ("c", "d")
            ),
        )
    ),
]


def test_readings_that_make_other_texts_of_a_row_have_other_ids() -> None:
    suffixes = [Reading.model_validate(keys).suffix() for keys in READINGS]
    assert len(set(suffixes)) == len(READINGS)
    assert max(map(len, suffixes)) < 20


@pytest.mark.parametrize(
    ("keys", "suffix"),
    [
        ({}, ""),
        ({"format": "jsonl", "bad_rows": "stop", "encoding": "UTF8", "encoding_errors": "replace"}, ""),
        ({"columns": {"messages": "messages", "licence": "l", "task": "t", "language": "g"}}, ""),
        ({"columns": {"text": "body"}}, ".body"),
        ({"columns": {"prompt": "q", "response": "a.0"}}, ".q+a.0"),
    ],
)
def test_ids_stay_short_where_nothing_else_tells(keys: dict[str, Any], suffix: str) -> None:
    assert Reading.model_validate(keys).suffix() == suffix


def test_the_same_reading_has_the_same_ids_everywhere() -> None:
    keys = {"columns": {"prompt": "q", "response": "a", "context": "c"}, "encoding": "latin1"}
    assert Reading.model_validate(keys).suffix() == Reading.model_validate({**keys, "encoding": "L1"}).suffix()
    assert Reading.model_validate(keys).suffix() == ".q+a.1d63e80c"
