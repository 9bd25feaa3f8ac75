"""A small set, as its folder holds it, for the tests of `curate inspect`'s reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.report.inspect_tokens import Vocabulary

# Ids 0 to 3 are control tokens, 4 is part of a character, the others are letters.
CONTROL = {0: "<s>", 1: "</s>", 2: "<think>", 3: "<unused>"}
A = 10
EVIL = "<script>alert(1)</script>"


def part(name: str, start: int, end: int, task: str = "prose", **more: Any) -> dict[str, Any]:
    about = {"source": "tides", "language": "en", "licence": "MIT"}
    return {"id": name, "task": task, "start": start, "end": end, "continuity": None, **about, **more}


def manifest(**more: Any) -> dict[str, Any]:
    return {
        "name": "mix",
        "draw": 0,
        "set_hash": "ab" * 32,
        "tokenizer": {"fingerprint": "cd" * 32, "size": 100},
        "asked": {"prose": 0.5, "code": 0.3, "chat": 0.2},
        "policy": {"bos": "auto"},
        "documents": [{"id": "d1", "cut_tokens": 0}, {"id": "d2", "cut_tokens": 7}, {"id": "d3", "cut_tokens": 0}],
        "warnings": ["a task is short"],
        **more,
    }


def samples() -> list[dict[str, Any]]:
    """Two samples of 10 and 6 tokens; document d2 crosses from the first to the second."""
    first = [0, *range(A, A + 4), 1, *range(A + 4, A + 8)]
    second = [0, A, 2, 1, 4, A + 1]
    return [
        {
            "id": "mix/0/0",
            "input_ids": first,
            "parts": [part("d1", 1, 6), part("d2", 6, 10, "code", source="code", licence="Apache-2.0")],
        },
        {
            "id": "mix/0/1",
            "input_ids": second,
            "parts": [part("d2", 1, 4, "code", source="code", licence="Apache-2.0"), part("d3", 4, 6)],
        },
    ]


def vocabulary(letters: str = "abcd efgh\tij\n") -> Vocabulary:
    def texts(ids: Sequence[int]) -> list[str]:
        return ["" if token == 4 else CONTROL.get(token) or letters[(token - A) % len(letters)] for token in ids]

    return Vocabulary(texts, CONTROL, start=0, end=1)
