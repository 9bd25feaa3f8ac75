"""Whatever it is given, a reader reads it or says in one line why not; ``scripts/fuzz`` is the long run."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

sys.path.extend(str(Path(__file__).parents[2] / folder) for folder in ("scripts", "tests", "tests/serve"))

from fuzz_runs.changes import as_json, changed_json
from fuzz_runs.readers import READERS, plain_files
from fuzz_runs.recipes import RECIPES
from fuzz_runs.replies import REPLIES
from fuzz_runs.run_files import RUN_FILES
from fuzz_runs.target import Check, Ready, Target, fuzz, outcome

from curator._errors import InputError, RecipeError

INPUTS = pytest.mark.parametrize("inputs", [100, pytest.param(10_000, marks=pytest.mark.full)])
TARGETS = {target.name: target for target in (READERS, RECIPES, RUN_FILES, REPLIES)}


def target(inputs: st.SearchStrategy[Any], check: Check) -> Target:
    """One made of its parts."""
    return Target("a target", "for a test", lambda _folder: nullcontext(Ready(inputs, check)))


@INPUTS
@pytest.mark.parametrize("name", TARGETS)
def test_no_input_ends_in_a_traceback(tmp_path: Path, name: str, inputs: int) -> None:
    counts = fuzz(TARGETS[name], tmp_path, inputs)
    # Both are seen: changes that spoil all, or nothing, would show little.
    assert counts["read"] > inputs / 50
    assert counts["refused"] > inputs / 50


@pytest.mark.parametrize("name", ["readers", "recipes"])
def test_what_is_changed_can_be_read_unchanged(tmp_path: Path, name: str) -> None:
    with TARGETS[name].ready(tmp_path) as ready:
        if name == "recipes":
            assert ready.check((Path(__file__).parents[2] / "recipes" / "coherent-mix.yaml").read_bytes())
            return
        for ending, content in plain_files().items():
            reading = {"encoding": "utf-16"} if ending.startswith("utf16") else {}
            assert ready.check((f"a.{ending}", content, ".gz" if ending.endswith("jsonl") else "", reading))


def test_a_traceback_is_found_and_made_small(tmp_path: Path) -> None:
    def check(value: list[int]) -> bool:
        return 1 // (0 if 60 in value else 1) == 1

    with pytest.raises(ZeroDivisionError) as failed:
        fuzz(target(st.lists(st.integers(0, 99)), check), tmp_path, 2000, start=1)
    assert any("value=[60]" in note for note in failed.value.__notes__)


@pytest.mark.parametrize("words", ["", "two\nlines", "x" * 5000])
def test_a_refusal_is_one_line_that_can_be_read(words: str) -> None:
    def refuse(_value: object) -> bool:
        raise InputError(words)

    with pytest.raises(AssertionError, match="not a line"):
        outcome(refuse, None)


def test_each_fault_of_a_recipe_is_a_line() -> None:
    def refuse(_value: object) -> bool:
        raise RecipeError(["a.yaml:1: x", "a.yaml:2: y"])

    assert outcome(refuse, None) == "refused"


def test_hostile_numbers_are_written_as_json_has_them() -> None:
    assert as_json([float("inf"), -1.5, "\ud800"]) == b'[1e999, -1.5, "\\ud800"]'


def test_values_are_changed_deep_inside(tmp_path: Path) -> None:
    found: list[object] = []

    def check(value: object) -> bool:
        found.append(value)
        return True

    fuzz(target(changed_json([{"a": {"b": [1, 2]}}]), check), tmp_path, 500, start=1)
    assert {"a": {"b": [1, 2]}} in found
    assert {"a": {}} in found
    assert any(isinstance(value, dict) and value.get("a") == {"b": [1, 1, 2]} for value in found)
