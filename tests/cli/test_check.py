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
    words = " ".join(printed.split())
    told: tuple[str, ...] = (
        "the recipe is valid note: target.tasks sum",
        "normalised to talk 0.556",
        "extends base.yaml: takes",
    )
    told = (*told, "target, sources; changes size text for 3 draws: source", "no end")
    assert sorted(told, key=words.index) == list(told)


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


def test_an_override_is_told_as_what_was_set(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    check([recipe], 1, ["size.samples=4"])
    assert "\nset: size.samples=4\ntext for 1 draw:\n" in capsys.readouterr().out


def test_too_little_text_is_no_plain_yes(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RefusedError):
        check([recipe], 1, ["size.samples=1000"])
    words = " ".join(capsys.readouterr().out.split())
    assert "fit-somewhere: valid, but short of text note:" in words and "is valid" not in words


ROWS = ["{broken", '{"text": null}', '{"text": ""}', '{"text": null}', "[1]"]


@pytest.fixture
def with_bad_rows(recipe: str, monkeypatch: pytest.MonkeyPatch) -> str:
    good = "".join(json.dumps({"text": f"The ferry {n} leaves at noon, " * 9}) + "\n" for n in range(25))
    folder = Path(recipe).parent
    (folder / "d").mkdir()
    (folder / "d" / "rows.jsonl").write_text(good + "\n".join(ROWS) + "\n")
    (folder / "d" / "model.bin").write_text("x")
    monkeypatch.chdir(folder)
    return recipe


def test_rows_that_cannot_be_used_are_told(with_bad_rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    check([with_bad_rows], 1, ["sources.0.files=d"])
    words = " ".join(capsys.readouterr().out.split())
    bad = "empty 1 (d/rows.jsonl:28), not JSON 1 (d/rows.jsonl:26), not an object 1 (d/rows.jsonl:30), "
    assert f"note: d: 5 of 30 rows cannot be used: {bad}null 2 (d/rows.jsonl:27) note: d: passed" in words
    assert words.endswith("note: d: passed over 1 file: model.bin")


def test_rows_that_cannot_be_used_are_in_the_json(with_bad_rows: str, capfd: pytest.CaptureFixture[str]) -> None:
    check([with_bad_rows], 1, ["sources.0.files=d"], json=True)
    (found,) = json.loads(capfd.readouterr().out)["recipes"]
    talk, other = found["sources"]
    assert (talk["rows"], other["rows"], other["bad"], other["notes"]) == (30, 0, [], [])
    assert talk["bad"][-1] == {"reason": "null", "rows": 2, "where": ["d/rows.jsonl:27", "d/rows.jsonl:29"]}
    assert talk["notes"] == ["d: passed over 1 file: model.bin"]


def test_a_file_without_rows_of_a_task_is_not_asked_for_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(
        json.dumps({"text": f"The ferry {n} leaves at noon, " * 9, "k": "talk"}) + "\n" for n in range(90)
    )
    (tmp_path / "mixed.jsonl").write_text(rows + "{\n")
    (tmp_path / "r.yaml").write_text(
        "name: r\nsize: {samples: 2, tokens: 2048}\ntarget: {tasks: {talk: 0.5, qa: 0.5}}\nsources:\n"
        "  - {generate: qa, task: qa}\n  - {generate: qa, task: qa, options: {language: zh}}\n"
        "  - {files: mixed.jsonl, columns: {task: k}}\n"
    )
    check([str(tmp_path / "r.yaml")], json=True)
    (found,) = json.loads(capfd.readouterr().out)["recipes"]
    needed = {(line["source"], line["task"]): line["needed_tokens"] for line in found["sources"]}
    assert needed["mixed.jsonl", "talk"] == 2048
    assert needed["mixed.jsonl", "qa"] == 0
    english, chinese = (name for name, task in needed if name.startswith("generate"))
    assert english != chinese and "zh" in chinese
    assert needed[english, "qa"] == needed[chinese, "qa"] == 1024
    check([str(tmp_path / "r.yaml")])
    printed = capfd.readouterr().out
    assert printed.count("none of its rows") == 1
    # The bad row is one of the file, whatever the tasks.
    assert printed.count("rows cannot be used") == 1


def test_what_a_target_asks_in_vain_is_told_a_line_each_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(
        "name: r\nsize: {samples: 2, tokens: 2048}\ntarget:\n  tasks: {qa: 1}\n"
        "  languages:\n    zh: 0.5\n    de: 0.2\n    fr: 0.3\nsources: [{generate: qa, task: qa}]\n"
    )
    with pytest.raises(RefusedError) as caught:
        check([str(tmp_path / "r.yaml")])
    lines = [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]
    assert [line.split(" has ")[0] for line in lines[:2]] == ["r.yaml:7: target: de", "r.yaml:8: target: fr"]
    assert lines[0].endswith("add a source of qa in de, or lower its share")
    assert all(line.startswith("r.yaml:") and "add sources or lower size" not in line for line in lines)
