from __future__ import annotations

from typing import Any

import pytest

from curator.corpora.rows.suggest import suggestion

LONG = "The harbour office opens at seven and the first ferry leaves an hour later."


def suggest(*rows: dict[str, Any]) -> str:
    return suggestion(rows, list(dict.fromkeys(name for row in rows for name in row)))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"question": LONG, "answer": "At seven.", "source": "handbook"}, "{prompt: question, response: answer}"),
        ({"task": "qa", "question": LONG, "gold": "B"}, "{prompt: question, response: gold}"),
        ({"id": "a", "gold": "12", "Instruction": LONG}, "{prompt: Instruction, response: gold}"),
        ({"target": LONG, "input": LONG, "body": LONG}, "{prompt: input, response: target}"),
        ({"problem": LONG, "question": LONG, "solution": "x"}, "{prompt: question, response: solution}"),
    ],
)
def test_a_question_goes_with_its_answer(row: dict[str, Any], told: str) -> None:
    assert suggest(row).partition(" or join: ")[0] == f"columns: {told}"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"title": "Opening", "body": LONG, "date": "2026-01-02", "score": 4}, "body"),
        ({"notes": LONG * 2, "content": LONG}, "content"),
        ({"a": LONG, "b": LONG * 2, "c": "short"}, "b"),
        ({"body": "3", "remark": LONG}, "remark"),
        ({"link": "https://example.org/" + "a" * 99, "remark": LONG}, "remark"),
        ({"when": "2026-01-02T03:04:05.000000+00:00", "remark": LONG}, "remark"),
        ({"answer": 4, "question": LONG}, "question"),
        ({"a: b": LONG}, '"a: b"'),
        ({"zh": "\u6e2f\u53e3\u529e\u516c\u5ba4\u4e03\u70b9\u5f00\u95e8" * 3, "n": "1"}, "zh"),
    ],
)
def test_a_text_is_neither_number_nor_date_nor_label(row: dict[str, Any], told: str) -> None:
    assert suggest(row).partition(" or ")[0] == f"columns: {{text: {told}}}"


def test_a_title_may_go_before_the_text() -> None:
    found = suggest({"title": "Opening", "body": LONG}, {"title": "Closing", "body": None})
    assert found == 'columns: {text: body} or join: "{title}\\n\\n{body}"'
    found = suggest({"query": "When?", "answer": "At seven."})
    assert found == 'columns: {prompt: query, response: answer} or join: "{query}\\n\\n{answer}"'
    assert suggest({"{query": "When?", "answer": "At seven."}) == "columns: {text: NAME}"
    assert suggest({"Query ": "When?", "answer": "x"}) == 'columns: {prompt: "Query ", response: answer}'


@pytest.mark.parametrize("row", [{}, {"a": "x", "b": "y"}, {"n": 1, "day": "2026-01-02", "label": "positive"}])
def test_nothing_is_proposed_that_is_no_text(row: dict[str, Any]) -> None:
    assert suggest(row) == "columns: {text: NAME}"
