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
