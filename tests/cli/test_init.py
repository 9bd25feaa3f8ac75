"""`curate init` writes a recipe from what is in the folder, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.cli.init import init
from curator.recipe.load import load_recipe

OUT = Path("recipe.yaml")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluation(path: Path, *tasks: str) -> None:
    path.write_text("".join(json.dumps({"task": task, "question": "q", "gold": "g"}) + "\n" for task in tasks))


def model(folder: Path) -> None:
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")


def test_it_takes_what_it_finds_and_says_what_comes_next(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model(here / "m")
    evaluation(here / "eval.jsonl", "qa", "qa", "code", "poetry")
    (here / "notes.txt").write_text("x")
    (here / "docs").mkdir()
    for name in "ab":
        (here / "docs" / f"{name}.txt").write_text("x")
    turns = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}]
    (here / "chats.jsonl").write_text(json.dumps({"messages": turns}) + "\n")
    init()
    loaded = load_recipe(OUT, references=True)
    assert loaded.recipe.model == "m"
    assert loaded.recipe.target.shares() == pytest.approx({"qa": 2 / 3, "code": 1 / 3}, abs=1e-6)
    printed = capfd.readouterr().out
    assert printed.splitlines()[-1] == "next: curate check recipe.yaml"
    assert "left out: task 'poetry'" in printed
    text = OUT.read_text()
    assert "# - {files: notes.txt, task: prose}" in text
    assert "# - {files: chats.jsonl, task: chat}" in text
    assert '# - {files: "docs/*.txt", task: prose}' in text
    assert "files: eval.jsonl" not in text


def test_it_never_replaces_a_file(here: Path) -> None:
    OUT.write_text("mine")
    with pytest.raises(InputError, match=r"recipe\.yaml: exists and is not replaced"):
        init()
    assert OUT.read_text() == "mine"
    (here / "link.yaml").symlink_to(here / "nowhere")
    with pytest.raises(InputError, match="exists"):
        init(Path("link.yaml"))


def test_in_an_empty_folder_it_writes_a_mix_that_can_be_built(here: Path) -> None:
    init(Path("new/first.yml"))
    recipe = load_recipe(here / "new" / "first.yml", references=True).recipe
    assert (recipe.name, recipe.model) == ("first", None)
    assert recipe.target.tasks == {"prose": 0.4, "code": 0.3, "qa": 0.3}


def test_several_models_or_evaluations_are_named_and_none_is_guessed(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in "ab":
        model(here / name)
        evaluation(here / f"{name}.jsonl", "qa")
    init(json=True)
    told = json.loads(capfd.readouterr().out)
    assert (told["model"], told["evaluation"]) == (None, None)
    text = OUT.read_text()
    assert "# model: a\n# model: b\n" in text and "a.jsonl, b.jsonl" in text
    init(Path("chosen.yaml"), model=Path("b"), evaluation=Path("b.jsonl"), json=True)
    told = json.loads(capfd.readouterr().out)
    assert told == {
        "recipe": "chosen.yaml",
        "model": "b",
        "evaluation": "b.jsonl",
        "tasks": {"qa": 1},
        "without_source": [],
        "next": "curate check chosen.yaml",
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"model": Path("none")}, "none: no model folder"),
        ({"evaluation": Path("none.jsonl")}, r"none\.jsonl: cannot be read"),
        ({"out": Path("recipe.txt")}, r"name it recipe\.txt\.yaml"),
    ],
)
def test_what_was_named_and_is_not_there_is_refused(here: Path, arguments: dict[str, Path], words: str) -> None:
    with pytest.raises(InputError, match=words):
        init(**arguments)
    assert not list(here.iterdir())
