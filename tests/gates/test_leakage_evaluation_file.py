"""Evaluation files are read whatever their columns are called."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator._errors import InputError
from curator.gates.drop import Drop
from curator.gates.leakage import EvalItem, Leakage, check_leakage, read_evaluation

Q = "How many lamps does the keeper of the northern reef light at dusk?"
CONTEXT = "The reef has nine lamps. Who built them? Nobody knows."


def _check(gate: Leakage, text: str) -> Drop | None:
    return check_leakage(gate.measure(text))


def _written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "eval.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def _asked(item: EvalItem) -> list[str]:
    return [item.text[start:end] for start, end in item.asked]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"id": "x", "question": Q, "answer": "nine"}, f"{Q}\nnine"),
        ({"id": "x", "task": "mcq", "question": Q, "gold": ["nine", "9"]}, f"{Q}\nnine\n9"),
        ({"id": "x", "context": CONTEXT, "question": Q, "answers": {"text": ["nine"], "answer_start": [3]}},
         f"{CONTEXT}\n{Q}\nnine"),
        ({"id": "x", "query": Q, "choices": {"text": ["two", "nine"], "label": ["A", "B"]}, "answerKey": "B"},
         f"{Q}\ntwo\nnine"),
        ({"id": "x", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": Q},
                                  {"role": "assistant", "content": "Nine."}]}, f"Be brief.\n{Q}\nNine."),
        ({"id": "x", "conversations": [{"from": "human", "value": Q}]}, Q),
        ({"id": "x", "passage": CONTEXT, "doc": {"question": Q}}, f"{CONTEXT}\n{Q}"),
    ],
    ids=["question", "soar", "squad", "arc", "messages", "sharegpt", "nested"],
)  # fmt: skip
def test_all_text_of_a_row_counts_and_the_question_is_told(tmp_path: Path, row: dict[str, Any], text: str) -> None:
    (item,) = read_evaluation(_written(tmp_path, row))
    assert (item.id, item.text) == ("x", text)
    assert _asked(item) == [Q]


@pytest.mark.parametrize(
    ("row", "asked"),
    [
        ({"problem": "Let n be even. Then n squared is even."}, ["Let n be even. Then n squared is even."]),
        ({"ending_story": CONTEXT}, [CONTEXT]),
        ({"question": "is the reef north of the pier", "passage": CONTEXT}, ["is the reef north of the pier"]),
        ({"question": Q, "answer": "Nine, because " + "the tenth is trimmed by hand " * 4},
         [Q, "Nine, because " + "the tenth is trimmed by hand " * 4]),
    ],
    ids=["problem", "story", "no mark", "long answer"],
)  # fmt: skip
def test_what_makes_an_item_what_it_is(tmp_path: Path, row: dict[str, Any], asked: list[str]) -> None:
    (item,) = read_evaluation(_written(tmp_path, row))
    assert _asked(item) == asked


def test_formats_and_compression(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"qid": "x1", "stem": Q, "gold": "nine", "n": 3},
        {"qid": "x2", "stem": CONTEXT, "gold": None, "n": 4},
    ]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    with (
        pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, pa.Table.from_pylist(rows).schema) as out,
    ):
        out.write_table(pa.Table.from_pylist(rows))
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    wanted = [("x1", f"{Q}\nnine"), ("x2", CONTEXT)]
    for name in ("a.jsonl.gz", "a.json", "a.parquet", "a.arrow"):
        assert [(item.id, item.text) for item in read_evaluation(tmp_path / name)] == wanted, name
    # In CSV a number is text.
    assert [item.id for item in read_evaluation(tmp_path / "a.csv")] == ["x1", "x2"]


def test_ids_are_found_or_made(tmp_path: Path) -> None:
    items = read_evaluation(
        _written(tmp_path, {"question": Q}, {"ID": 7, "question": Q}, {"task_id": "t/1", "q": Q})
    )
    assert [item.id for item in items] == ["eval.jsonl#1", "eval.jsonl#7", "t/1"]


def test_rows_without_text_are_passed_over(tmp_path: Path) -> None:
    assert [item.id for item in read_evaluation(_written(tmp_path, {"id": "a", "n": 3}, {"id": "b", "q": Q}))] == [
        "b"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "without rows"),
        ('{"id": "a", "n": 1}\n{"question": " "}\n', "none of its 2 rows has text"),
        ('{"question": "x"}\n{"question": \n', "eval.jsonl:2: "),
        ('{"question": "x"}\n[1]\n', "eval.jsonl:2: a row must be an object"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "eval.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_evaluation(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be read"):
        read_evaluation(tmp_path / "gone.jsonl")


def test_from_file_to_gate(tmp_path: Path) -> None:
    rows = [
        {"id": "q1", "question": f"Pick the best option from the list below. {Q}", "answer": "nine"},
        {"id": "q2", "context": "Every keeper swore by salt and oil to keep the light until the dawn was up.",
         "question": "By what did they swear?"},
    ]  # fmt: skip
    gate = Leakage(read_evaluation(_written(tmp_path, *rows)))
    assert gate.measure(f"Quiz: {Q.lower()} (a) six").item == "q1"
    assert (
        _check(gate, "Every keeper swore by salt and oil to keep the light until the dawn was up. Then he slept.")
        is None
    )
