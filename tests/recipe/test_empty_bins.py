"""Lengths that no sequence has room for are refused where they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._errors import RecipeError
from curator.recipe.load import load_recipe

HEAD = "name: r\nsources: [{generate: niah, task: qa}]\n"


def faults(folder: Path, size: str, target: str, *overrides: str) -> list[str]:
    """What is wrong with a recipe, each without its folder; nothing when it is right."""
    path = folder / "r.yaml"
    path.write_text(f"{HEAD}size: {size}\ntarget:\n  tasks: {{qa: 1}}\n{target}")
    try:
        load_recipe(path, overrides)
    except RecipeError as error:
        return [problem.removeprefix(f"{folder}/") for problem in error.problems]
    return []


STAY = "bins above the longest sequence (512 tokens) stay empty: raise"


@pytest.mark.parametrize(
    ("size", "bins", "line", "cure"),
    [
        (
            "{samples: 2, tokens: 512}",
            ["{upto: 512, share: 1}", "{upto: 2048, share: 1}"],
            8,
            "size.tokens to 2048 or drop the bin",
        ),
        (
            "{samples: 2, tokens: 512}",
            ["{upto: 512, share: 1}", "{share: 1}"],
            8,
            "size.tokens above 512 or drop the bin",
        ),
        (
            "{samples: 2, tokens: 512}",
            ["{upto: 9, share: 1}", "{upto: 600, share: 1}", "{upto: 700, share: 1}", "{upto: 900, share: 1}"],
            9,
            "size.tokens to 900 or drop the 2 bins",
        ),
        (
            "{mix: [{samples: 2, tokens: 512}, {samples: 9, tokens: 64}]}",
            ["{upto: 512, share: 0}", "{upto: 513, share: 1}"],
            8,
            "a sequence of size.mix to 513 or drop the bin",
        ),
    ],
)
def test_one_fault_at_the_first_empty_bin(
    tmp_path: Path, size: str, bins: list[str], line: int, cure: str
) -> None:
    written = "  lengths:\n" + "".join(f"    - {one}\n" for one in bins)
    assert faults(tmp_path, size, written) == [f"r.yaml:{line}: target.lengths: {STAY} {cure}"]


@pytest.mark.parametrize(
    "bins",
    [
        "[{upto: 511, share: 1}, {share: 1}]",
        "[{upto: 2048, share: 1}]",
        "[{upto: 512, share: 1}, {upto: 2048, share: 0}]",
    ],
)
def test_bins_that_some_text_fits_into_or_that_want_nothing_are_right(tmp_path: Path, bins: str) -> None:
    assert faults(tmp_path, "{samples: 2, tokens: 512}", f"  lengths: {bins}\n") == []


def test_a_size_of_the_command_line_and_lengths_of_one_task_count(tmp_path: Path) -> None:
    size, target = (
        "{samples: 2, tokens: 2048}",
        "  by_task:\n    qa:\n      lengths: [{upto: 512, share: 1}, {share: 2}]\n",
    )
    assert faults(tmp_path, size, target) == []
    (fault,) = faults(tmp_path, size, target, "size.tokens=512")
    assert fault == f"r.yaml:8: target.by_task.qa.lengths: {STAY} size.tokens above 512 or drop the bin"
