"""The gates of a recipe: defaults, tasks of their own, evaluation files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator._errors import RecipeError
from curator.recipe.load import load_recipe


def recipe(folder: Path, **gates: Any) -> Path:
    values = {
        "name": "t",
        "size": {"samples": 1, "tokens": 64},
        "target": {"tasks": {"prose": 1, "poem": 1}},
        "sources": [{"files": "x.txt", "task": "prose"}, {"files": "y.txt", "task": "poem"}],
        "gates": gates,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "recipe.yaml"
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def test_what_needs_no_choice_is_on_and_what_does_is_off(tmp_path: Path) -> None:
    gates = load_recipe(recipe(tmp_path)).recipe.gates
    on = {name for name in type(gates).model_fields if name != "by_task" and getattr(gates, name)}
    assert on == {"length", "random_text", "repetition", "duplicates", "near_duplicates"}


def test_a_task_has_its_own_settings_over_the_general_ones(tmp_path: Path) -> None:
    own = {"length": {"min_chars": 40}, "repetition": False}
    gates = load_recipe(recipe(tmp_path, random_text={"max_share": 0.4}, by_task={"poem": own})).recipe.gates
    poem, prose = gates.of("poem"), gates.of("prose")
    assert poem.length and poem.length.min_chars == 40
    assert poem.repetition is False
    assert poem.random_text and poem.random_text.max_share == 0.4
    assert prose.length and prose.length.min_chars == 200
    assert prose.repetition


def test_settings_for_a_task_without_a_share_are_a_slip(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        load_recipe(recipe(tmp_path, by_task={"peom": {"length": False}}))
    assert "gates.by_task: task 'peom' has no share; did you mean poem?" in str(caught.value)


def test_settings_for_a_task_that_an_heir_leaves_out_go_with_it(tmp_path: Path) -> None:
    recipe(tmp_path, by_task={"poem": {"length": False}})
    heir = tmp_path / "heir.yaml"
    heir.write_text("name: heir\nextends: recipe.yaml\ntarget: {tasks: {poem: null}}\n")
    assert load_recipe(heir).recipe.target.tasks == {"prose": 1}


def test_evaluation_files_start_from_the_recipes_folder_and_are_part_of_its_hash(tmp_path: Path) -> None:
    path = recipe(tmp_path / "a", leakage={"against": ["eval.jsonl"], "exempt": ["phrases.txt"]})
    evaluation, phrases = tmp_path / "a" / "eval.jsonl", tmp_path / "a" / "phrases.txt"
    evaluation.write_text('{"question": "Which knot?"}\n')
    phrases.write_text("Choose one of these.\n")
    loaded = load_recipe(path)
    assert (loaded.evaluation, loaded.exempt) == ((evaluation,), (phrases,))
    before = loaded.sha256
    evaluation.write_text('{"question": "Which rope?"}\n')
    assert load_recipe(path).sha256 != before


def test_a_missing_evaluation_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = recipe(tmp_path, leakage={"against": ["evals.jsonl"]})
    for name in ("x.txt", "y.txt", "eval.jsonl"):
        (tmp_path / name).write_text("A line.\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(path, references=True)
    assert "gates.leakage.against: no such file evals.jsonl; did you mean eval.jsonl?" in str(caught.value)
    assert f"{path}:1" in str(caught.value)
