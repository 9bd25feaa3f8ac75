"""Shares of tasks: ratios that are normalised with a word, and never zero, negative or not a number."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipe_files import problems, write

from curator.recipe.load import load_recipe

SHARES = st.lists(st.floats(1e-5, 1e5), min_size=1, max_size=12)


def text(shares: list[str]) -> str:
    tasks = "".join(f"    t{number}: {share}\n" for number, share in enumerate(shares))
    sources = "".join(f"  - {{files: f{number}, task: t{number}}}\n" for number in range(len(shares)))
    return f"name: x\nsize: {{samples: 20, tokens: 64}}\ntarget:\n  tasks:\n{tasks}sources:\n{sources}"


@settings(max_examples=50)
@given(SHARES)
def test_ratios_are_kept_and_sum_to_one(shares: list[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_recipe(write(Path(folder), text([repr(share) for share in shares])))
    found = list(loaded.recipe.target.shares().values())
    assert sum(found) == pytest.approx(1)
    assert found == pytest.approx([share / sum(shares) for share in shares])
    told = [note for note in loaded.notes if note.startswith("target.tasks sum to ")]
    assert bool(told) is (abs(sum(shares) - 1) > 1e-6)


@pytest.mark.parametrize("parts", [2, 3, 6, 7, 10, 30])
def test_equal_parts_of_one_are_one(tmp_path: Path, parts: int) -> None:
    assert load_recipe(write(tmp_path, text([repr(1 / parts)] * parts))).notes == ()


@pytest.mark.parametrize(
    "wrong", ["0", "-0.2", "0.0", "-0.0", ".nan", ".inf", "-.inf", "1e-400", "1e7", "5%", "half", "~"]
)
def test_what_is_no_share_is_refused_at_its_line(tmp_path: Path, wrong: str) -> None:
    found = problems(write(tmp_path, text(["1.2", wrong, "0.5", wrong])))
    assert [line.split(": ")[0] for line in found] == ["r.yaml:6", "r.yaml:8"]


def test_no_share_at_all_is_refused(tmp_path: Path) -> None:
    assert problems(write(tmp_path, text(["1"]).replace("    t0: 1\n", "").replace("tasks:", "tasks: {}"))) == [
        "r.yaml:4: target.tasks is empty; give at least one"
    ]
