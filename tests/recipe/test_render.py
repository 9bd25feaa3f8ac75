"""A recipe that is written out loads to the same recipe."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipe_files import BASE, write

from curator.recipe.load import LoadedRecipe, load_recipe, shipped_recipes
from curator.recipe.render import recipe_values, to_yaml
from curator.recipe.schema import Recipe


def again(folder: Path, path: Path, overrides: tuple[str, ...] = ()) -> None:
    first = load_recipe(path, overrides)
    second = load_recipe(write(folder, to_yaml(first), "again.yaml"))
    assert second.recipe == first.recipe
    assert second.sha256 == first.sha256


@pytest.mark.parametrize("path", shipped_recipes(), ids=lambda path: path.stem)
def test_every_shipped_recipe_loads_again(tmp_path: Path, path: Path) -> None:
    again(tmp_path, path, ("seed=99", "title=no", "sources.0.weight=1e-4"))


def test_the_comment_says_where_it_is_from(tmp_path: Path) -> None:
    path = write(tmp_path, "name: mine\nextends: coherent-mix\ntarget: {tasks: {qa: 0.4}}\n")
    loaded = load_recipe(path, ["seed=1"])
    comment = [line for line in to_yaml(loaded).split("\n") if line.startswith("#")]
    assert comment == [
        f"# mine, from {path}",
        "# extends coherent-mix: takes size, sources, gates; changes target",
        "# --set seed=1",
        "# note: target.tasks sum to 1.1, not 1: normalised to prose 0.364, code 0.273, qa 0.364",
        f"# relative paths start from {loaded.places[0].folder}",
        f"# recipe hash {loaded.sha256}",
    ]


def test_defaults_are_written_and_what_says_nothing_is_not(tmp_path: Path) -> None:
    values = recipe_values(load_recipe(write(tmp_path, BASE)).recipe)
    assert values["gates"]["length"] == {"min_chars": 200}
    assert values["tokens"]["pack"] == "concat"
    assert "model" not in values and "mix" not in values["size"]


def test_words_that_old_readers_take_for_booleans_are_in_quotes(tmp_path: Path) -> None:
    text = to_yaml(load_recipe(write(tmp_path, BASE + "gates: {language: {allow: [en, no]}}\n")))
    assert '"no"' in text


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20)
OPTION = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False), WORD
)


@settings(max_examples=40)
@given(
    title=WORD, task=WORD, file=WORD, share=st.floats(1e-6, 1e6), options=st.dictionaries(WORD, OPTION, max_size=3)
)
def test_any_text_and_number_comes_back(
    title: str, task: str, file: str, share: float, options: dict[str, Any]
) -> None:
    recipe = Recipe.model_validate(
        {
            "name": "x",
            "title": title,
            "size": {"mix": [{"samples": 1, "tokens": 16}]},
            "target": {"tasks": {task: share}},
            "sources": [
                {"files": [file, title], "task": task},
                {"generate": "niah", "task": task, "options": options},
            ],
        }
    )
    text = to_yaml(LoadedRecipe(recipe, Path("r.yaml"), (), ()))
    with tempfile.TemporaryDirectory() as folder:
        assert load_recipe(write(Path(folder), text)).recipe == recipe
