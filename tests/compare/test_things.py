"""What two things are; a recipe with another, and a set with its recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.adapters.stored_set import set_sha256
from curator.compare.things import compare_things
from curator.pipeline.source_state import sources_sha256
from curator.recipe.load import load_recipe

RECIPE = """\
name: mine
size: {{samples: 2, tokens: 64}}
target: {{tasks: {{prose: {prose}, qa: 1}}}}
sources:
  - {{files: rows.jsonl, task: prose}}
  - {{files: rows.jsonl, task: qa}}
"""


def save_set(folder: Path, **facts: Any) -> str:
    folder.mkdir()
    rows = [[1, 2], [3]]
    (folder / "samples.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in rows))
    (folder / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows), **facts}))
    return str(folder)


def save_recipe(path: Path, prose: float) -> str:
    path.write_text(RECIPE.format(prose=prose))
    return str(path)


def test_a_set_is_told_from_the_recipe_that_it_came_from(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "one"}\n')
    file = save_recipe(tmp_path / "r.yaml", 1)
    loaded = load_recipe(Path(file))
    made = save_set(
        tmp_path / "set",
        recipe=loaded.recipe.model_dump(mode="json"),
        recipe_hash=loaded.sha256,
        sources_hash=sources_sha256(loaded),
        asked={"prose": 0.5, "qa": 0.5},
        shares={"prose": 0.49, "qa": 0.3},
    )
    found = compare_things(made, file)
    assert (
        found["verdict"] == "the set was built of this recipe as it is now" and not found["differences"]["recipe"]
    )
    assert [one["words"] for one in found["differences"]["asked and got"]] == ["task qa: asked 50 %, got 30 %"]
    (tmp_path / "rows.jsonl").write_text('{"text": "two"}\n')
    assert compare_things(file, made)["verdict"].endswith("but the files that it reads have changed since")
    save_recipe(tmp_path / "r.yaml", 3)
    found = compare_things(made, file)
    assert found["verdict"].startswith("the set was not built of this recipe as it is now")
    assert found["differences"]["recipe"][0]["words"] == "weight of task prose 1.0 -> 3.0 (share 50 % -> 75 %)"


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ("", "the same recipe"),
        ("seed: 3\n", "the same but for name, title or seed: two draws of one mix"),
        ("quantize: {method: awq}\n", "the same set under each seed; they differ in what is done with it"),
        ("gates: {length: false}\n", "two different mixes"),
    ],
)
def test_what_kind_of_difference_two_recipes_have(tmp_path: Path, change: str, verdict: str) -> None:
    (tmp_path / "a.yaml").write_text(RECIPE.format(prose=1))
    (tmp_path / "b.yaml").write_text(RECIPE.format(prose=1) + change)
    assert compare_things(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))["verdict"] == verdict


def test_things_of_two_kinds_of_none_or_nested_beyond_reason(tmp_path: Path) -> None:
    made, recipe = save_set(tmp_path / "set"), save_recipe(tmp_path / "r.yaml", 1)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/ranking.json").write_text("{}")
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun/plan.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    deep = save_set(tmp_path / "deep", recipe=json.loads('{"x":' * 450 + "1" + "}" * 450))
    for pair, words in (
        ((made, str(tmp_path / "run")), "is a set and .* is a run; compare two of the same kind"),
        ((recipe, str(tmp_path / "run")), "is a recipe and .* is a run"),
        ((str(tmp_path / "empty"), made), r"neither a finished run \(ranking\.json\) nor a set"),
        ((str(tmp_path / "begun"), recipe), "begun: this run has no ranking yet; finish it with the command"),
        ((deep, made), "nested too deeply"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            compare_things(*pair)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="--allow version: is about the servers of two runs"):
        compare_things(made, made, ["version"])
