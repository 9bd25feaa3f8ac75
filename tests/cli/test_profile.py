"""`curate profile` from the command line: tables, JSON, a page, a profile, a recipe, and what is in their way."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from curator._errors import CurateError, InputError
from curator.cli import heldout, profile
from curator.profile import load_profile, measure_file
from curator.recipe.load import load_recipe
from tests.profile.profile_files import FlatEncoder, write_rows
from tests.toy_tokenizers import save_marked

ROWS = [
    {"kind": "mcq", "ask": "Which of the two ferries leaves the island first?", "right": "B"},
    {"kind": "qa", "ask": "Who brings the mail to the harbour master at noon?", "right": ["Ann", "Ann Lee"]},
    {"kind": "qa", "ask": "Who leaves the island with the last boat of the day?", "right": ["Bob"]},
]
MAP = "task=kind,question=ask,gold=right"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an evaluation and a tokenizer, where commands are typed."""
    save_marked(tmp_path / "words", "words")
    write_rows(tmp_path / "eval.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measure_file, "Embedder", FlatEncoder)
    monkeypatch.setattr(measure_file, "_ready", {})
    return tmp_path


def invoke(*arguments: str) -> Result:
    app = typer.Typer()
    profile.register(app)
    return CliRunner().invoke(app, ["eval.jsonl", "--model", "words", *arguments], env={"COLUMNS": "80"})


def fault(*arguments: str) -> str:
    error = invoke(*arguments).exception
    assert isinstance(error, CurateError), error
    assert "\n" not in str(error)
    return str(error)


@pytest.mark.parametrize("which", ["eval", "outputs"])
def test_a_pipe_without_a_writer_is_refused_and_not_waited_for(place: Path, which: str) -> None:
    os.mkfifo(place / "pipe")
    if which == "eval":
        (place / "eval.jsonl").unlink()
        (place / "pipe").rename(place / "eval.jsonl")
        assert fault().startswith("eval.jsonl: a pipe or device")
    else:
        assert fault("--map", MAP, "--outputs", "pipe").startswith("pipe: a pipe or device")


def test_tables_name_what_was_written_and_what_to_type_next(place: Path) -> None:
    result = invoke("--map", MAP, "--out", "p.json", "--html", "p.html", "--derive", "mine.yaml")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "eval.jsonl: 3 items, 2 tasks" in text
    assert "written to p.json" in text and "written to p.html" in text and "written to mine.yaml" in text
    assert "next: curate check mine.yaml" in text
    assert (place / "p.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("positions", "limits"), [(None, []), (64, []), (20, ["--max-tokens", "10"]), (8, ["--max-tokens", "4"])]
)
def test_the_next_command_is_whole_and_runs(place: Path, positions: int | None, limits: list[str]) -> None:
    # The longest prompt has 11 words.
    (place / "words" / "config.json").write_text(json.dumps({"max_position_embeddings": positions}))
    result = invoke("--map", MAP, "--out", "my p.json")
    assert result.exit_code == 0, result.output
    (told,) = [line for line in result.stdout.splitlines() if line.startswith("next: ")]
    typed = shlex.split(told.removeprefix("next: "))
    whole = ["curate", "heldout", "--from-profile", "my p.json", "--out", "heldout.jsonl", "--model", "words"]
    assert typed == [*whole, *limits]
    app = typer.Typer()
    heldout.register(app)
    # All options are known: what is refused, if anything, is the toy model.
    parsed = CliRunner().invoke(app, [*typed[2:], "--help"])
    assert parsed.exit_code == 0, parsed.output


def test_json_is_the_frozen_profile(place: Path) -> None:
    result = invoke("--map", MAP, "--out", "p.json", "--json")
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    assert told.pop("written") == {"out": "p.json"}
    assert told == json.loads((place / "p.json").read_text())
    held = load_profile(place / "p.json")
    assert held.model_dump(mode="json") == told
    assert held.tasks["qa"].items == 2 and held.tasks["mcq"].gold_types == {"letter": 1}
    # Nothing of the evaluation's text is in it.
    assert "ferries" not in (place / "p.json").read_text()


def test_the_same_file_gives_the_same_bytes(place: Path) -> None:
    for name in ("one.json", "two.json"):
        assert invoke("--map", MAP, "--out", name).exit_code == 0
    assert (place / "one.json").read_bytes() == (place / "two.json").read_bytes()


def test_a_recipe_that_loads(place: Path) -> None:
    options = ("--by", "input_tokens", "--low-continuity-factor", "0.25", "--samples", "8", "--tokens", "256")
    assert invoke("--map", MAP, "--derive", "mine.yaml", *options).exit_code == 0
    recipe = load_recipe(place / "mine.yaml").recipe
    # Prompts have 9, 10 and 11 words.
    assert recipe.target.tasks == {"mcq": 0.3, "qa": 0.7}
    assert (recipe.size.samples, recipe.size.tokens, recipe.model) == (8, 256, "words")


def test_a_frozen_profile_is_read_and_not_counted_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke("--map", MAP, "--out", "p.json", "--derive", "alpha.yaml").exit_code == 0
    monkeypatch.setattr(measure_file, "measure_items", None)
    (place / "p.json").rename(place / "eval.json")
    app = typer.Typer()
    profile.register(app)
    second = CliRunner().invoke(app, ["eval.json", "--model", "words", "--derive", "gamma.yaml", "--json"])
    assert second.exit_code == 0, second.output
    assert json.loads(second.stdout)["overall"]["items"] == 3
    first, again = ((place / f"{name}.yaml").read_text().replace(name, "NAME") for name in ("alpha", "gamma"))
    assert first == again and "against: [eval.jsonl]" in first
    # Away from the evaluation, or beside another one, its file must be given.
    write_rows(place / "eval.jsonl", ROWS[:1])
    assert CliRunner().invoke(app, ["eval.json", "--derive", "three.yaml"]).exit_code == 0
    load_recipe(place / "three.yaml")
    assert "# gates: {leakage: {against: [eval.jsonl]}}" in (place / "three.yaml").read_text()
    refused = CliRunner().invoke(app, ["eval.json", "--map", MAP]).exception
    assert isinstance(refused, InputError) and "--map goes with an evaluation file" in str(refused)


def test_predictions(place: Path) -> None:
    run = [{"index": at, "prediction": "B", "score": 1} for at in range(3)]
    write_rows(place / "run.jsonl", run)
    result = invoke(
        "--map", MAP, "--outputs", "run.jsonl", "--derive", "mine.yaml", "--by", "total_tokens", "--json"
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["overall"]["score"]["mean"] == 1


def test_what_stands_in_the_way_is_told_before_any_work(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_file, "measure_items", None)
    (place / "other.json").write_text("{}")
    (place / "page.html").write_text("<p>mine</p>")
    (place / "there.yaml").write_text("")
    assert "exists and holds something else" in fault("--out", "other.json")
    assert "exists and holds something else" in fault("--html", "page.html")
    assert "exists and is not replaced" in fault("--derive", "there.yaml")
    assert "ends in .yaml" in fault("--derive", "mine.json")
    assert "named for another result" in fault("--out", "x.json", "--html", "x.json")
    assert "is read, or named" in fault("--out", "eval.jsonl")
    for option, name in (("--out", "x.json"), ("--html", "x.html"), ("--derive", "x.yaml")):
        assert "eval.jsonl is no folder that can be written" in fault(option, f"eval.jsonl/{name}")
        assert "eval.jsonl is no folder that can be written" in fault(option, f"eval.jsonl/deeper/{name}")


def test_faults_of_the_file(place: Path) -> None:
    assert "name it with --map prompt=COLUMN" in fault()
    assert "no column 'asked'; did you mean ask?; columns found: kind, ask, right" in fault(
        "--map", "prompt=asked"
    )
    assert "give --outputs" in fault("--map", MAP, "--derive", "mine.yaml", "--by", "total_tokens")
    assert not (place / "mine.yaml").exists()


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("{}", "no profile; make one with"),
        ('{"kind": "curate-profile", "version": 9}', "a profile of version 9, not 1"),
        ('{"kind": "curate-profile", "version": 1}', "Field required; make the profile again"),
        ("{", "p.json:1: not JSON"),
    ],
)
def test_other_files_are_no_profiles(tmp_path: Path, held: str, told: str) -> None:
    (tmp_path / "p.json").write_text(held)
    with pytest.raises(InputError) as error:
        load_profile(tmp_path / "p.json")
    assert told in str(error.value)
