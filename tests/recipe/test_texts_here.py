"""What `curate init` suggests as sources."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from curator.corpora.file_patterns import find_files
from curator.recipe.texts_here import Texts, find_texts

TURNS = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}]
ITEM = {"task": "mcq", "question": "q", "gold": "A"}


def write(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def suggested(folder: Path, *without: Path) -> list[tuple[str, str]]:
    found = find_texts(folder, set(without))
    return [(str(one.path.relative_to(folder)), one.task) for one in found]


def test_texts_are_those_that_readers_take_but_not_the_evaluation(tmp_path: Path) -> None:
    for name in ("a.txt", "b.md", "c.jsonl.gz", "d.tar.gz", "e.py", "f.PARQUET", "data/g.csv.zst", "eval.jsonl"):
        write(tmp_path / name)
    found = suggested(tmp_path, tmp_path / "eval.jsonl")
    assert [path for path, _ in found] == ["a.txt", "b.md", "c.jsonl.gz", "f.PARQUET", "data/g.csv.zst"]
    assert {task for _, task in found} == {"prose"}


def test_files_below_become_a_pattern_for_each_folder_and_ending(tmp_path: Path) -> None:
    for name in ("docs/a.txt", "docs/b.txt", "docs/one.md", "docs/deep/er/c.txt", "docs/deep/er/d.txt", "top.txt"):
        write(tmp_path / name)
    assert suggested(tmp_path) == [
        ("top.txt", "prose"),
        ("docs/*.txt", "prose"),
        ("docs/one.md", "prose"),
        ("docs/deep/er/*.txt", "prose"),
    ]
    # A pattern means what it stands for.
    assert [file.name for file in find_files(["docs/*.txt"], tmp_path)] == ["docs/a.txt", "docs/b.txt"]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
@pytest.mark.parametrize(
    ("row", "task"),
    [
        ({"messages": TURNS}, "chat"),
        ({"conversations": [{"from": "human", "value": "x"}, {"from": "gpt", "value": "y"}]}, "chat"),
        ({"messages": TURNS, "question": "q"}, "chat"),
        ({"instruction": "i", "output": "o"}, "chat"),
        ({"question": "q", "answer": "a"}, "qa"),
        ({"text": "words"}, "prose"),
        ({"messages": "not a list"}, "prose"),
        ({"body": "words"}, "prose"),
        ([1], "prose"),
    ],
)
def test_rows_say_what_they_are_for(tmp_path: Path, row: object, task: str, ending: str) -> None:
    write(tmp_path / f"rows{ending}", row, {"text": "other"})
    assert suggested(tmp_path) == [(f"rows{ending}", task)]


def test_tables_say_it_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer\nq,a\n")
    (tmp_path / "b.csv").write_text("text\nwords\n")
    (tmp_path / "c.parquet").write_bytes(b"no parquet")
    assert suggested(tmp_path) == [("a.csv", "qa"), ("b.csv", "prose"), ("c.parquet", "prose")]


def test_an_evaluation_below_is_no_source_and_in_no_pattern(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.jsonl", {"messages": TURNS})
    write(tmp_path / "data" / "b.jsonl", {"messages": TURNS})
    assert suggested(tmp_path) == [("data/*.jsonl", "chat")]
    for row in (ITEM, {"id": "1", "corpus": "c", "unit": "u", "text": "held out", "messages": []}):
        write(tmp_path / "data" / "c.jsonl", row)
        assert suggested(tmp_path) == [("data/a.jsonl", "chat"), ("data/b.jsonl", "chat")]
    write(tmp_path / "data" / "c.jsonl", {"text": "words"})
    assert suggested(tmp_path) == [("data/a.jsonl", "chat"), ("data/b.jsonl", "chat"), ("data/c.jsonl", "prose")]
    assert suggested(tmp_path, tmp_path / "data" / "c.jsonl") == [
        ("data/a.jsonl", "chat"),
        ("data/b.jsonl", "chat"),
    ]


def test_other_things_than_texts_are_not_looked_into(tmp_path: Path) -> None:
    for mark in ("set/manifest.json", "run/plan.json", "env/pyvenv.cfg", "m/config.json", "m/tokenizer.json"):
        write(tmp_path / mark)
    for name in ("set", "run", "env", "m", "m/deeper", ".git", "node_modules"):
        write(tmp_path / name / "a.txt")
    write(tmp_path / ".hidden.txt")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert suggested(tmp_path) == []
    assert find_texts(tmp_path / "none", set()) == []


def test_a_folder_whose_name_is_a_pattern_is_taken_file_by_file(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / "x[1]" / f"{name}.txt")
    assert suggested(tmp_path) == [("x[1]/a.txt", "prose"), ("x[1]/b.txt", "prose")]
    assert [file.name for file in find_files(["x[1]/a.txt"], tmp_path)] == ["x[1]/a.txt"]


def test_only_a_dozen_are_named(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path / f"{number:02}.txt")
    assert find_texts(tmp_path, set()) == [Texts(tmp_path / f"{number:02}.txt") for number in range(12)]
