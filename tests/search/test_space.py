"""What ``--over`` names in a recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._errors import InputError
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.search.knobs import Number, Shares
from curator.search.space import space

RECIPE = """\
name: mine
size: {samples: 2, tokens: 128}
target: {tasks: {prose: 3, qa: 1, niah: 1}, lengths: [{upto: 64, share: 1}, {share: 1}]}
sources:
  - {files: a.jsonl, task: prose}
  - {files: b.jsonl, task: prose, weight: 3}
  - {files: c.jsonl, task: qa}
  - {generate: niah}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> LoadedRecipe:
    (tmp_path / "r.yaml").write_text(RECIPE)
    return load_recipe(tmp_path / "r.yaml")


def test_weights_are_searched_within_their_task_and_a_lone_one_is_left_out(recipe: LoadedRecipe) -> None:
    knobs, notes = space(recipe, "sources.*.weight, low_continuity.max_share")
    assert knobs == (
        Shares((("sources", "0", "weight"), ("sources", "1", "weight")), (0.25, 0.75)),
        # No limit is the same as all.
        Number(("target", "low_continuity", "max_share"), 0.0, 1.0, 1.0),
    )
    assert [note.split(" is ")[0] for note in notes] == ["sources.2.weight", "sources.3.weight"]


def test_shares_of_the_target_and_numbers_with_limits(recipe: LoadedRecipe) -> None:
    knobs, _ = space(recipe, "target.tasks.*,lengths.*.share,length.min_chars=50..800,max_lines=0.1..0.5")
    tasks, lengths, chars, lines = knobs
    assert isinstance(tasks, Shares) and tasks.start == (0.6, 0.2, 0.2)
    assert isinstance(lengths, Shares) and [path[2] for path in lengths.paths] == ["0", "1"]
    assert chars == Number(("gates", "length", "min_chars"), 50, 800, 200, whole=True)
    assert lines == Number(("gates", "repetition", "max_lines"), 0.1, 0.5, 0.25)


def test_sources_that_are_not_used_are_not_searched_and_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(RECIPE)
    (tmp_path / "r.yaml").write_text("name: heir\nextends: base.yaml\ntarget: {tasks: {prose: null}}\n")
    with pytest.raises(InputError, match="nothing to search"):
        space(load_recipe(tmp_path / "r.yaml"), "sources.*.weight")
    _, notes = space(load_recipe(tmp_path / "r.yaml"), "sources.*.weight,low_continuity.max_share")
    assert [note.split(" is ")[0] for note in notes] == ["sources.2.weight", "sources.3.weight"]


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ("seed", "the best seed is a lucky draw"),
        ("size.samples=1..9", "a larger set wins by size"),
        ("quantize.damping=0..1", "changes the set"),
        ("sources.*.wieght", r"no number of this recipe; did you mean sources\.\d\.weight"),
        ("sources.0.weight", "without sources.1.weight"),
        ("target.tasks.qa,target.tasks.niah", "without target.tasks.prose"),
        ("target.tasks.*=0..1", "leave the limits out"),
        ("min_chars", "give its limits"),
        ("min_chars=9..1", "give its limits, lower first"),
        ("min_chars=a..b", "'a' is no number"),
        ("min_chars=1..inf", "'inf' is no number"),
        ("min_chars=1", "give its limits"),
        ("min_chars=-1e308..1e308", "this far apart"),
        ("", "nothing to search"),
        ("..", "no number of this recipe"),
        ("name", "no number of this recipe"),
        ("sources.2.weight", r"nothing to search \(sources\.2\.weight is the only weight of its kind"),
    ],
)
def test_what_cannot_be_searched_is_told_in_one_line(recipe: LoadedRecipe, over: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        space(recipe, over)
    assert "\n" not in str(caught.value)
