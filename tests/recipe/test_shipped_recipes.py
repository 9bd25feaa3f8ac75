"""Every recipe that ships loads, and its header is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from curator.recipe.load import find_recipe, load_recipe, shipped_recipes

FIELDS = ("Purpose", "Needs", "Command", "Override")
RECIPES = shipped_recipes()
EACH = pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)


def header(path: Path) -> dict[str, str]:
    """The fields of a recipe's first comment; lines that go on are joined."""
    lines = path.read_text(encoding="utf-8").split("\nname:")[0].split("\n")
    fields: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"# (\w+): +(.+)", line)
        if match:
            fields[match[1]] = match[2]
        else:
            last = list(fields)[-1]
            fields[last] = fields[last].removesuffix("\\") + " " + line.removeprefix("#").strip()
    return fields


@EACH
def test_it_names_what_exists_and_its_shares_sum_to_one(path: Path) -> None:
    loaded = load_recipe(path, references=True)
    assert loaded.recipe.name == path.stem
    assert loaded.recipe.title
    assert loaded.notes == ()


@EACH
def test_its_header_says_purpose_needs_command_and_an_override(path: Path) -> None:
    fields = header(path)
    assert tuple(fields) == FIELDS
    assert fields["Command"] == f"curate build {path.stem} --out sets/{path.stem}"
    assert find_recipe(shlex.split(fields["Command"])[2]) == path


@EACH
def test_the_override_in_its_header_works(path: Path) -> None:
    words = shlex.split(header(path)["Override"], comments=False)
    sets = [words[number + 1] for number, word in enumerate(words) if word == "--set"]
    if sets:
        assert words[:3] == ["curate", "build", path.stem]
        assert words[words.index("--out") + 1] != f"sets/{path.stem}"
        assert load_recipe(path, sets, references=True).sha256 != load_recipe(path).sha256


def test_the_kinds_of_mixes_that_are_promised_are_there() -> None:
    names = {path.stem for path in RECIPES}
    assert names >= {
        *("eval-mix", "low-continuity-reduced", "prose-only", "code-only", "coherent-mix", "chat", "multilingual"),
        *("long-context", "reasoning-traces", "many-languages", "uuid-words", "random-words"),
    }


def test_the_evaluations_mix_and_its_reduced_form() -> None:
    whole, reduced = (load_recipe(find_recipe(name)).recipe for name in ("eval-mix", "low-continuity-reduced"))
    assert whole.target.shares() == pytest.approx(dict.fromkeys(("mcq", "niah", "qa", "fwe", "cwe"), 0.2))
    low = ("niah", "fwe", "cwe")
    assert sum(reduced.target.shares()[task] for task in low) == pytest.approx(0.2)
    assert [reduced.target.shares()[task] for task in ("mcq", "qa")] == pytest.approx([0.2, 0.2])
    assert (reduced.seed, reduced.size) == (whole.seed, whole.size)


def test_the_recipe_of_the_readmes_figures_stays_as_it_is() -> None:
    recipe = load_recipe(find_recipe("coherent-mix")).recipe
    assert (recipe.seed, recipe.size.samples, recipe.size.tokens) == (17, 16, 512)
    assert recipe.target.tasks == {"prose": 0.4, "code": 0.3, "qa": 0.3}
