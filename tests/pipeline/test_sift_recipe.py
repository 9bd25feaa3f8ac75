"""Without a recipe the gates are as they are by default, under ``--set``."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._errors import RecipeError
from curator.pipeline.sift_recipe import ANY_TASK, default_recipe
from curator.recipe.gate_settings import Gates, LengthGate


def test_all_gates_have_their_defaults_but_a_row_may_be_short() -> None:
    loaded = default_recipe(())
    assert loaded.recipe.gates == Gates(length=LengthGate(min_chars=1))
    assert loaded.recipe.continuity.min == "auto"


@pytest.mark.parametrize(
    "override",
    [
        "gates.by_task.poem.length.min_chars=40",
        "gates.by_task={poem: {length: {min_chars: 40}}}",
        'gates.by_task."poem"={length: {min_chars: 40}}',
    ],
)
def test_a_task_may_have_gates_of_its_own(override: str) -> None:
    gates = default_recipe([override]).recipe.gates
    poem, other = gates.of("poem").length, gates.of(ANY_TASK).length
    assert poem and other
    assert (poem.min_chars, other.min_chars) == (40, 1)


def test_paths_start_from_the_working_folder() -> None:
    loaded = default_recipe(["gates.leakage.against=[sub/eval.jsonl]"])
    assert loaded.evaluation == (Path("sub/eval.jsonl"),)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("gates.lenght=1", "did you mean length"),
        ("gates.length.min_chars=x", "must be a whole number"),
        ("gates.by_task=5", "gates.by_task"),
        ("nonsense", "a path and a value are needed"),
        ("continuity.min=.nan", "finite"),
    ],
)
def test_faults_are_told_as_those_of_the_option(override: str, words: str) -> None:
    with pytest.raises(RecipeError) as caught:
        default_recipe([override])
    assert str(caught.value).startswith(f"--set {override}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
