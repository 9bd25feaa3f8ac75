"""What kind of thing a gold is."""

from __future__ import annotations

from typing import Any

import pytest

from curator.profile.gold import gold_texts, gold_type


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("A", "letter"), ("(b)", "letter"), ("C.", "letter"), ("d)", "letter"),
        ("12", "number"), (12, "number"), (3.5, "number"), ("-7", "number"), ("1,204", "number"),
        ("0.5%", "number"),
        ("$3", "number"), (".5", "number"), ("1e-3", "number"),
        ("1,2,3", "string"), ("12 boats", "string"), ("AB", "string"), ("-", "string"), ("1.2.3", "string"),
        (True, "string"), ("中", "string"),
        (["a"], "list"), (["a", "b"], "list"), ([["a"], "b"], "list"),
        (None, "none"), ("", "none"), ("  ", "none"), ([], "none"), ([""], "none"), ([None], "none"),
    ],
)  # fmt: skip
def test_types(gold: Any, kind: str) -> None:
    assert gold_type(gold) == kind


def test_texts() -> None:
    assert list(gold_texts(["a", ["b", 3], None, {"text": ["c"]}])) == ["a", "b", "3", "c"]


def test_golds_nested_deeper_than_calls_go() -> None:
    gold: Any = "deep"
    for _ in range(20_000):
        gold = [gold]
    assert list(gold_texts([gold, "last"])) == ["deep", "last"]
    assert gold_type(gold) == "list"
