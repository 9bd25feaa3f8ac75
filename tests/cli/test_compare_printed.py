"""`curate compare` on a terminal: differences first and few, lines that fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.adapters.stored_set import set_sha256
from curator.cli.compare import compare


def save(folder: Path, rows: list[list[int]], **facts: Any) -> str:
    folder.mkdir()
    (folder / "samples.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    (folder / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows), **facts}))
    return str(folder)


def test_equal_sets_take_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    documents = [{"id": "a"}]
    first = save(tmp_path / "a", [[1, 2]], documents=documents, recipe={"sources": [{"corpus": "c"}]})
    other = {"sources": [{"corpus": "c", "columns": None}], "size": {"mix": None}}
    second = save(tmp_path / "b", [[1, 2]], documents=documents, recipe=other, licences=[])
    compare(first, second)
    assert capfd.readouterr().out == "no difference\n"


def test_the_set_comes_before_the_recipe_and_long_lists_are_folded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    title = "a title of many words " * 9
    licences = [{"licence": f"LicenseRef-{number}", "tokens": number} for number in range(1, 31)]
    first = save(tmp_path / "a", [[1, 2]], licences=licences, documents=[{"id": "a"}, {"id": "b"}])
    second = save(
        tmp_path / "b", [[3, 4]], licences=[], recipe={"title": title}, documents=[{"id": "b"}, {"id": "c"}]
    )
    compare(first, second)
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["set", "licences", "recipe"]
    assert lines[1].startswith("  set_hash: ") and lines[2] == "  pieces: 2 -> 2, 1 in both"
    assert lines[lines.index("recipe") - 1] == "  ... and 10 more; --json has them all"
    assert max(map(len, lines)) <= 80
    compare(first, second, json=True)
    told = json.loads(capfd.readouterr().out)
    assert len(told["differences"]["licences"]) == 30
    assert list(told["differences"]) == ["set", "shares", "licences", "dropped", "recipe"]
