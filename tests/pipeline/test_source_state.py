"""The hash of what a recipe's local sources hold: their content counts, not their times."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from curator.pipeline.source_state import sources_sha256
from curator.recipe.load import load_recipe

CARD = """\
id: mine
title: my notes
task: prose
language: en
licence: MIT
origin: written here
files: [notes.txt]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("first")
    (tmp_path / "mine.yaml").write_text(CARD)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.jsonl").write_text('{"text": "first"}\n')
    return tmp_path


def state(folder: Path, source: str) -> str:
    (folder / "r.yaml").write_text(
        f"name: r\nsize: {{samples: 1, tokens: 64}}\ntarget: {{tasks: {{prose: 1}}}}\nsources:\n  - {source}\n"
    )
    return sources_sha256(load_recipe(folder / "r.yaml"))


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("{files: notes.txt, task: prose}", "notes.txt"),
        ("{corpus: ./mine.yaml}", "notes.txt"),
        ("{dataset: ./set, task: prose}", "set/train.jsonl"),
    ],
)
def test_other_content_under_the_old_name_and_time_is_another_state(folder: Path, source: str, file: str) -> None:
    first = state(folder, source)
    assert state(folder, source) == first
    path = folder / file
    old = path.stat()
    path.write_text(path.read_text().replace("first", "other"))
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert path.stat().st_size == old.st_size
    assert state(folder, source) != first


def test_a_card_that_says_something_else_is_another_state(folder: Path) -> None:
    first = state(folder, "{corpus: ./mine.yaml}")
    (folder / "mine.yaml").write_text(CARD.replace("MIT", "GPL-3.0-only"))
    assert state(folder, "{corpus: ./mine.yaml}") != first


def test_what_a_hub_holds_is_not_asked_for(folder: Path) -> None:
    assert state(folder, "{dataset: owner/name, task: prose}") == state(
        folder, "{dataset: owner/other, task: prose}"
    )
