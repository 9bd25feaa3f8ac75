"""The sets of a run: found again when nothing has changed, built anew when a source has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toy_tokenizers import save_tokenizer

from curator._progress import Silent
from curator.measure.heldout import Prompt
from curator.rank.arms import Arm, make_arms
from curator.rank.plan import Plan
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

RECIPE = """\
name: mine
size: {samples: 2, tokens: 64}
target: {tasks: {prose: 1}}
sources:
  - {files: rows.jsonl, task: prose}
gates: {length: {min_chars: 5}}
continuity: {min: false}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "r.yaml").write_text(RECIPE)
    write(tmp_path, "old")
    save_tokenizer(tmp_path / "toy")
    return tmp_path


def write(folder: Path, word: str) -> None:
    lines = [f'{{"text": "{word} text of a lighthouse, a bridge and a bell, number {n}"}}\n' for n in range(9)]
    (folder / "rows.jsonl").write_text("".join(lines))


def arm(folder: Path) -> Arm:
    plan = Plan(
        recipes=(load_recipe(folder / "r.yaml"),),
        model=folder / "toy",
        model_name="toy",
        model_hash="0",
        out=folder / "run",
        nulls=(),
    )
    prompt = Prompt("p", "prose", "c", "u", "en", "MIT", "What is the boat for?")
    (made,) = make_arms(plan, Tokenizer(folder / "toy"), [prompt], Silent())
    return made


def test_sets_are_found_again(folder: Path) -> None:
    first = arm(folder)
    before = (folder / "run/arms/mine/draw-0/set/manifest.json").stat().st_ino
    assert arm(folder).draws[0].rows == first.draws[0].rows
    assert (folder / "run/arms/mine/draw-0/set/manifest.json").stat().st_ino == before


def test_a_file_that_changed_but_kept_its_time_and_size_is_read_again(folder: Path) -> None:
    first = arm(folder)
    times = (folder / "rows.jsonl").stat()
    write(folder, "new")
    os.utime(folder / "rows.jsonl", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (folder / "rows.jsonl").stat().st_size == times.st_size
    second = arm(folder)
    tokenizer = Tokenizer(folder / "toy")
    assert "old text" in tokenizer.decode(first.draws[0].rows[0])
    assert "new text" in tokenizer.decode(second.draws[0].rows[0])
    assert "old text" not in tokenizer.decode(second.draws[0].rows[0])
