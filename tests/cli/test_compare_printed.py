"""`curate compare` on a terminal: the verdict first, differences few, lines that fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.adapters.stored_set import set_sha256
from curator.cli.compare import compare
from tests.compare.test_runs_compared import ranking, run


def save(folder: Path, rows: list[list[int]], **facts: Any) -> str:
    folder.mkdir()
    (folder / "samples.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    (folder / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows), **facts}))
    return str(folder)


def test_equal_sets_take_a_line_and_what_they_have_in_common(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    documents = [{"id": "a", "tokens": 2}]
    first = save(tmp_path / "a", [[1, 2]], documents=documents, recipe={"sources": [{"corpus": "c"}]})
    other = {"sources": [{"corpus": "c", "columns": None}], "size": {"mix": None}}
    second = save(tmp_path / "b", [[1, 2]], documents=documents, recipe=other, licences=[])
    compare(first, second)
    lines = capfd.readouterr().out.splitlines()
    assert lines[:2] == ["the same token ids in the same order: one set", "in both"] and len(lines) == 5


def test_the_verdict_comes_first_and_long_lists_are_folded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    title = "a title of many words " * 9
    dropped = {f"reason {number}": number for number in range(1, 31)}
    documents = [
        {"id": name, "tokens": tokens, "task": name} for name, tokens in zip("abcdefgh", range(8), strict=True)
    ]
    first = save(tmp_path / "a", [[1, 2]], dropped=dropped, documents=documents)
    second = save(
        tmp_path / "b",
        [[3, 4]],
        dropped={},
        recipe={"title": title},
        documents=[{"id": "h", "tokens": 1, "task": "h"}],
    )
    compare(first, second)
    lines = capfd.readouterr().out.splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads[0].startswith("different sets: 75 % of the tokens differ by task")
    assert "set" in heads and "recipe" in heads and "tokens by task (75.0 % differ)" in heads
    assert "  ... and 11 more; --json has them all" in [line.rstrip() for line in lines]
    assert "  h: 25.0 % (7 tokens, 1 piece) -> 100.0 % (1 tokens, 1 piece)" in [line.rstrip() for line in lines]
    assert max(map(len, lines)) <= 80
    compare(first, second, json=True)
    told = json.loads(capfd.readouterr().out)
    assert len(told["differences"]["set"]) == 31 and told["embedding"] is None
    assert told["composition"]["task"]["rows"][0]["name"] == "h"


def test_a_run_with_itself_or_its_copy_is_one_line_and_json_keeps_its_form(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = [run(tmp_path / name, ranking(one=[[0.1, 0.2, 0.4, 0.5, 0.7]])) for name in "ab"]
    other = run(tmp_path / "other", {**ranking(one=[[0.1, 0.2, 0.4, 0.5, 0.7]]), "command": "another"})
    for first, second in ((runs[0], runs[0]), (runs[0], f"{runs[0]}/../a/"), runs):
        compare(first, second)
        assert capfd.readouterr().out == "the same run\n"
    told = []
    for second in (runs[0], other):
        compare(runs[0], second, json=True)
        told.append(json.loads(capfd.readouterr().out))
    assert [one["verdict"] for one in told] == [
        "the same run",
        "no arm differs between the runs by more than chance",
    ]
    assert list(told[0]) == list(told[1]) and told[0]["pairs"] == told[1]["pairs"]
