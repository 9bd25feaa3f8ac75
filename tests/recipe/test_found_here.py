"""What `curate init` sees in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.recipe.found_here import find_evaluations, find_models, read_evaluation


def item(task: object = "mcq", **more: object) -> str:
    return json.dumps({"task": task, "question": "q", "gold": "A", **more}) + "\n"


def model(folder: Path, tokenizer: str = "tokenizer.json") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / tokenizer).write_text("{}")


def test_models_are_here_or_one_folder_down(tmp_path: Path) -> None:
    model(tmp_path / "b")
    model(tmp_path / "a", "tokenizer.model")
    model(tmp_path / "deep" / "er")
    model(tmp_path / ".hidden")
    (tmp_path / "no-tokenizer").mkdir()
    (tmp_path / "no-tokenizer" / "config.json").write_text("{}")
    assert find_models(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    model(tmp_path)
    assert find_models(tmp_path)[0] == tmp_path


def test_an_evaluation_file_is_known_by_its_first_row(tmp_path: Path) -> None:
    (tmp_path / "eval.jsonl").write_bytes(b"\xef\xbb\xbf\n" + item().encode())
    (tmp_path / "chat.jsonl").write_text('{"messages": []}\n' + item())
    (tmp_path / "broken.jsonl").write_text("{\n" + item())
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "list.jsonl").write_text("[1]\n")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\n")
    (tmp_path / "folder.jsonl").mkdir()
    assert [path.name for path in find_evaluations(tmp_path)] == ["eval.jsonl"]


def test_items_are_counted_by_task_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    rows = [
        item("qa"),
        item("mcq"),
        "\n",
        item("qa"),
        "not json\n",
        item(3),
        item(" "),
        '{"task": "qa"}\n',
        "[]\n",
    ]
    path.write_text("".join(rows))
    found = read_evaluation(path)
    assert list(found.items.items()) == [("qa", 2), ("mcq", 1)]
    assert found.unusable == 5


@pytest.mark.parametrize("content", [b"", b"{}\n", b"\xff\n", b"text\n"])
def test_a_file_without_items_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"e\.jsonl: no row has task, question and gold"):
        read_evaluation(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read"):
        read_evaluation(tmp_path / "none.jsonl")
