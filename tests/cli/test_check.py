"""`curate check` says whether a recipe is right and whether there is text enough, without model or network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator._errors import RecipeError, RefusedError
from curator.cli.check import check

RECIPE = """\
name: a-recipe-with-a-rather-long-name-that-still-has-to-fit-somewhere
extends: base.yaml
size: {samples: 2}
"""
BASE = """\
size: {samples: 1, tokens: 32}
target: {tasks: {talk: 0.5, a-task-with-a-long-name-too: 0.4}}
sources:
  - {files: a-file-with-a-name-that-is-longer-than-a-column.jsonl, task: talk}
  - {generate: uuid, task: a-task-with-a-long-name-too}
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    rows = "".join(json.dumps({"text": f"The ferry {n} leaves at noon, " * 9}) + "\n" for n in range(9))
    (tmp_path / "a-file-with-a-name-that-is-longer-than-a-column.jsonl").write_text(rows)
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "r.yaml").write_text(RECIPE)
    monkeypatch.setenv("COLUMNS", "80")
    return str(tmp_path / "r.yaml")


def test_eighty_columns_are_enough(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    check([recipe], 3)
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert "the recipe is valid; text for 3 draws" in " ".join(printed.split())
    assert "extends base.yaml: takes target, sources; changes size" in printed
    assert "normalised to talk 0.556" in " ".join(printed.split())
    assert "no end" in printed


def test_json_has_the_same(recipe: str, capfd: pytest.CaptureFixture[str]) -> None:
    check([recipe], 1, ["size.samples=4"], json=True)
    (found,) = json.loads(capfd.readouterr().out)["recipes"]
    assert found["origin"] == ["extends base.yaml: takes target, sources; changes size", "--set size.samples=4"]
    talk, other = found["sources"]
    assert talk["needed_tokens"] + other["needed_tokens"] == 4 * 32
    assert (other["pool_tokens"], talk["remote"]) == (None, False)


def test_all_faults_of_all_recipes_come_at_once(recipe: str) -> None:
    folder = Path(recipe).parent
    bad = "name: bad\nsede: 1\nsize: {samples: 0, tokens: 32}\ntarget: {tasks: {talk: 1}}\nsources:\n"
    (folder / "bad.yaml").write_text(
        bad + "  - {corpus: nonsense, task: talk}\n  - {files: gone.txt, task: talk}\n"
    )
    with pytest.raises(RecipeError) as caught:
        check([recipe, str(folder / "bad.yaml"), str(folder / "base.yaml")], 1)
    lines = [problem.removeprefix(f"{folder}/").split(": ")[0] for problem in caught.value.problems]
    assert lines == ["bad.yaml:2", "bad.yaml:3", "bad.yaml:6", "bad.yaml:7", "base.yaml:1"]


def test_too_little_text_is_refused(recipe: str) -> None:
    with pytest.raises(RefusedError, match="task talk needs"):
        check([recipe], 1, ["size.samples=1000"])


def test_a_data_set_of_the_hub_is_not_asked_for(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    check([recipe], 1, ["sources.0={dataset: nobody/has-this, task: talk}"])
    assert "at the hub" in capsys.readouterr().out
