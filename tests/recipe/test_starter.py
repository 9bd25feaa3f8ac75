"""The recipe that `curate init` writes is right, whatever was found."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.recipe.found_here import Evaluation
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.recipe.starter import DEFAULT_ITEMS, Findings, sources_by_task, write_starter
from curator.recipe.texts_here import Texts


def loaded(folder: Path, found: Findings, name: str = "mine.yaml") -> LoadedRecipe:
    path = folder / name
    path.write_text(write_starter(path, found).text, encoding="utf-8")
    return load_recipe(path, references=True)


def evaluation(**items: int) -> Findings:
    path = Path("eval.jsonl")
    return Findings(evaluations=[path], evaluation=Evaluation(path, items, 0))


def test_an_evaluations_items_become_shares(tmp_path: Path) -> None:
    found = evaluation(mcq=30, niah=30, qa=30, fwe=30, cwe=30)
    one = loaded(tmp_path, found)
    assert one.recipe.target.tasks == dict.fromkeys(("mcq", "niah", "qa", "fwe", "cwe"), 0.2)
    assert one.notes == ()
    text = write_starter(tmp_path / "mine.yaml", found).text
    assert "# Items of eval.jsonl by task: mcq 30, niah 30, qa 30, fwe 30, cwe 30." in text
    assert "never make it a source" in text
    assert "eval.jsonl" not in text.split("sources:")[1]


def test_a_task_without_a_source_is_left_out_and_said_so(tmp_path: Path) -> None:
    found = evaluation(translation=10, qa=10, code=20)
    starter = write_starter(tmp_path / "mine.yaml", found)
    assert starter.without == ("translation",)
    assert "# translation: no source that ships is for this task; add one of your own." in starter.text
    tasks = loaded(tmp_path, found).recipe.target.tasks
    assert tasks == pytest.approx({"qa": 1 / 3, "code": 2 / 3}, abs=1e-6)


def test_an_evaluation_of_unknown_tasks_only_still_gives_a_recipe(tmp_path: Path) -> None:
    one = loaded(tmp_path, evaluation(poetry=3))
    assert list(one.recipe.target.tasks) == list(DEFAULT_ITEMS)
    assert "these are not your tasks" in one.path.read_text()


def test_one_model_is_taken_and_several_are_named(tmp_path: Path) -> None:
    assert loaded(tmp_path, Findings(models=[Path("models/a b")])).recipe.model == "models/a b"
    several = Findings(models=[Path("a"), Path("b")])
    one = loaded(tmp_path, several, "two.yaml")
    assert one.recipe.model is None
    assert "# model: a\n# model: b\n" in one.path.read_text()
    assert loaded(tmp_path, Findings(), "none.yaml").recipe.model is None


def test_texts_are_commented_out_and_start_from_the_recipes_folder(tmp_path: Path) -> None:
    found = Findings(texts=[Texts(tmp_path / "data" / "*.txt", "chat"), Texts(tmp_path / "b: c.md")])
    one = loaded(tmp_path, found)
    used = {"python-topics", "package-docs", "python-stdlib", "python-qa", "qa"}
    assert {getattr(source, "corpus", None) or source.generate for source in one.recipe.sources} == used
    text = one.path.read_text()
    assert '  # - {files: "data/*.txt", task: chat}' in text
    assert '  # - {files: "b: c.md", task: prose}' in text


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("mine.yaml", "mine"),
        ("a b.yaml", "a-b"),
        ("no.yaml", "no"),
        ("1e3.yaml", "1e3"),
        ("---.yaml", "recipe"),
        ("a-.yaml", "a"),
    ],
)
def test_the_name_is_that_of_the_file(tmp_path: Path, file: str, name: str) -> None:
    assert loaded(tmp_path, Findings(), file).recipe.name == name


@pytest.mark.parametrize(("folder", "name"), [("my data", "my-data"), ("__", "recipe"), ("é.b", "b")])
def test_a_file_without_a_name_of_its_own_has_that_of_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    (tmp_path / folder).mkdir()
    one = loaded(tmp_path / folder, Findings(), "recipe.yaml")
    assert one.recipe.name == name
    assert f"--out sets/{name}\n" in one.path.read_text()


def test_no_shipped_source_needs_the_network_or_a_package() -> None:
    found = sources_by_task()
    assert {"prose", "code", "qa", "mcq", "niah", "cwe", "fwe", "uuid", "random-words"} <= set(found)
    assert not [source for sources in found.values() for source in sources if "dataset-build" in source]


WORD = st.text(min_size=1, max_size=12).filter(lambda text: text.strip())
TASKS = st.dictionaries(
    st.one_of(WORD, st.sampled_from(["qa", "mcq", "niah", "no"])), st.integers(1, 10**6), min_size=1
)
PATHS = st.lists(WORD.filter(lambda text: text.isprintable() and "/" not in text).map(Path), max_size=3)


@settings(max_examples=25)
@given(items=TASKS, models=PATHS, texts=PATHS, unusable=st.integers(0, 3))
def test_whatever_is_found_the_recipe_loads(
    items: dict[str, int], models: list[Path], texts: list[Path], unusable: int
) -> None:
    found = Findings(
        models, [Path("e.jsonl")], Evaluation(Path("e.jsonl"), items, unusable), [Texts(path) for path in texts]
    )
    with tempfile.TemporaryDirectory() as folder:
        recipe = loaded(Path(folder), found).recipe
    assert sum(recipe.target.tasks.values()) == pytest.approx(1)
    assert set(recipe.target.tasks) <= set(items) | set(DEFAULT_ITEMS)
    assert recipe.model == (str(models[0]) if len(models) == 1 else None)
