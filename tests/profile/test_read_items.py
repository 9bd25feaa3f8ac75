"""Files of any shape as items, and what is wrong with them by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.profile.columns import EvalColumns, parse_map
from curator.profile.read_items import RawItem, read_items
from tests.profile.profile_files import write_rows


def read(tmp_path: Path, *rows: Any, asked: str | None = None, name: str = "eval.jsonl") -> list[RawItem]:
    return read_items(write_rows(tmp_path / name, rows), parse_map(asked)).items


def test_the_contests_form(tmp_path: Path) -> None:
    (one, two) = read(
        tmp_path,
        {"task": "niah", "question": "Find it.", "gold": ["17", "18"]},
        {"task": "mcq", "question": "Which?", "gold": "B"},
    )
    assert one == RawItem(1, "niah", "Find it.", ("17", "18"), "list")
    assert two == RawItem(2, "mcq", "Which?", ("B",), "letter")


@pytest.mark.parametrize(
    ("row", "prompt", "golds"),
    [
        ({"prompt": "Go?", "answer": "yes"}, "Go?", ("yes",)),
        ({"Problem": "1+1", "Target": 2}, "1+1", ("2",)),
        ({"question": "Who?", "context": "A tale.", "answers": {"text": ["Ann"]}}, "A tale.\n\nWho?", ("Ann",)),
        ({"question": "Who?", "choices": ["Ann", "Bob"], "answer": 1}, "Who?\n\nA. Ann\nB. Bob", ("1",)),
        ({"text": "Say it."}, "Say it.", ()),
        ({"input": "In", "output": None}, "In", ()),
    ],
)
def test_usual_names(tmp_path: Path, row: dict[str, Any], prompt: str, golds: tuple[str, ...]) -> None:
    (item,) = read(tmp_path, row)
    assert (item.task, item.prompt, item.golds) == ("all", prompt, golds)


def test_conversations(tmp_path: Path) -> None:
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Ann"},
    ]
    shared = [{"from": "human", "value": "Who?"}]
    (one,) = read(tmp_path, {"messages": turns, "task": "qa"})
    assert (one.prompt, one.golds, one.gold_type) == ("Be brief.\n\nWho?", ("Ann",), "string")
    (two,) = read(tmp_path, {"conversations": shared, "gold": ["Ann", "Bob"]})
    assert (two.prompt, two.golds) == ("Who?", ("Ann", "Bob"))
    # A column of prompts that holds turns is read as they are.
    (three,) = read(tmp_path, {"prompt": turns[:2]})
    assert three.prompt == "Be brief.\n\nWho?"


def test_named_columns(tmp_path: Path) -> None:
    row = {"kind": "a", "meta": {"q": "Deep?"}, "passage": "First.", "right": "yes", "question": "not this"}
    (item,) = read(tmp_path, row, asked="task=kind, question=passage+meta.q, answer=right")
    assert (item.task, item.prompt, item.golds) == ("a", "First.\n\nDeep?", ("yes",))


def test_chinese_and_numbers_as_tasks(tmp_path: Path) -> None:
    (item,) = read(tmp_path, {"task": 3, "question": "潮水什么时候转？", "gold": "中午"})
    assert (item.task, item.prompt, item.gold_type) == ("3", "潮水什么时候转？", "string")


def test_tables_and_arrays(tmp_path: Path) -> None:
    csv = tmp_path / "eval.csv"
    csv.write_text("task,question,gold\nqa,Who?,Ann\n")
    assert read_items(csv, EvalColumns()).items[0].golds == ("Ann",)
    array = tmp_path / "eval.json"
    array.write_text(json.dumps([{"task": "qa", "question": "Who?", "gold": "Ann"}]))
    assert read_items(array, EvalColumns()).items[0].prompt == "Who?"


@pytest.mark.parametrize(
    ("rows", "asked", "told"),
    [
        ((), None, "without rows"),
        (({"task": "a", "question": "x"}, "{broken"), None, "eval.jsonl:2: "),
        (
            ({"task": "a", "question": "x"}, {"task": "a", "gold": "y"}),
            None,
            "eval.jsonl:2: no prompt in 'question'",
        ),
        (
            ({"task": "a", "question": "x"}, {"task": " ", "question": "y"}),
            None,
            "eval.jsonl:2: column 'task' names",
        ),
        (({"task": "a", "question": 5},), None, "eval.jsonl:1: column 'question' is neither text nor turns"),
        (({"task": "a", "body": "x"},), None, "no column of prompts; name it with --map"),
        (
            ({"task": "a", "body": "x"},),
            "prompt=text",
            "no column 'text'; name one of them; columns found: task, body",
        ),
        (
            ({"task": "a", "question": "x"},),
            "gold=qestion",
            "--map gold=qestion: no column 'qestion'; did you mean",
        ),
        (({"task": "a", "question": "x"},), "prompt=question+b", "no column 'b'; name one of them; columns found"),
        (({"q": {"text": "x"}},), "prompt=q.words", "eval.jsonl:1: no prompt in 'q.words'"),
        (({"question": "y " + "x" * 8_000_000},), None, "eval.jsonl:1: 4,000,000 characters of the prompt"),
        (({"messages": [{"role": "assistant", "content": "x"}]},), None, "no turn that asks"),
        (({"messages": [{"role": "ghost", "content": "x"}]},), None, "eval.jsonl:1: turn 1 has role 'ghost'"),
        (({"question": "x"},), "prompt", "is no pair"),
        (({"question": "x"},), "promt=question", "did you mean prompt?"),
        (({"question": "x"},), "prompt=a,question=b", "given twice"),
        (({"question": "x"},), "prompt=a,messages=b", "not both"),
    ],
)
def test_faults_name_the_line_and_the_remedy(
    tmp_path: Path, rows: tuple[Any, ...], asked: str | None, told: str
) -> None:
    with pytest.raises(InputError) as found:
        read(tmp_path, *rows, asked=asked)
    assert told in str(found.value)
    assert "\n" not in str(found.value)


def test_tasks_are_one_line(tmp_path: Path) -> None:
    rows = ['{"task": " a\\u0000b\\n c ", "question": "x"}', '{"task": 1.5, "question": "x"}']
    assert [item.task for item in read(tmp_path, *rows)] == ["a b c", "1.5"]


def test_hostile_text_is_counted_not_refused(tmp_path: Path) -> None:
    rows = ['{"task": "a", "question": "\\ud800 half \\u0000 nul", "gold": ["\\udfff"]}']
    (item,) = read(tmp_path, *rows)
    item.prompt.encode()
    item.golds[0].encode()


def test_a_long_text_is_no_name_of_a_task(tmp_path: Path) -> None:
    fits, long = "任务😀" * 85 + "x", "words " * 60
    assert [item.task for item in read(tmp_path, {"task": fits, "question": "Who?"})] == [fits]
    with pytest.raises(InputError, match=r"eval.jsonl:1: column 'task' holds 359 characters, no name of a task"):
        read(tmp_path, {"task": long, "question": "Who?"})


def test_a_named_column_may_come_late_and_be_a_step_into_an_object(tmp_path: Path) -> None:
    rows = [{"q": {"text": f"Who is {number}?"}} for number in range(150)]
    rows.append({"q": {"text": "And who?"}, "a": "Ann"})
    items = read(tmp_path, *rows, asked="prompt=q.text,gold=a")
    assert (items[0].prompt, items[0].golds, items[-1].golds) == ("Who is 0?", (), ("Ann",))
