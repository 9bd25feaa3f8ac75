"""What a run may and may not be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_summary import recipe

from curator._errors import InputError, RefusedError
from curator._progress import Silent
from curator.rank.arms import make_arms
from curator.rank.experiment import run
from curator.rank.plan import Plan, fix_plan, fix_prompts
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer


def plan(tmp_path: Path, **settings: Any) -> Plan:
    return Plan((recipe("a"),), tmp_path, "m", "h", tmp_path / "out", **settings)


def test_a_run_may_gain_draws_but_not_change_what_is_measured(tmp_path: Path) -> None:
    fix_plan(plan(tmp_path))
    fix_plan(plan(tmp_path, draws=5))
    # A GPU's checkpoints are not a CPU's to the last bit.
    with pytest.raises(RefusedError, match="device was None, is 'cuda'"):
        fix_plan(plan(tmp_path, device="cuda"))
    with pytest.raises(RefusedError, match="tokens was 128, is 64"):
        fix_plan(plan(tmp_path, tokens=64))


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".keep.old").mkdir(parents=True)
    (out / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"holds \.keep\.old"):
        run(plan(tmp_path), Silent())
    assert sorted(path.name for path in out.iterdir()) == [".keep.old", "thesis.tex"]


def test_frozen_prompts_may_not_change(tmp_path: Path) -> None:
    fix_plan(plan(tmp_path))
    fix_prompts(plan(tmp_path), "one")
    fix_prompts(plan(tmp_path), "one")
    fix_plan(plan(tmp_path))
    with pytest.raises(RefusedError, match="heldout"):
        fix_prompts(plan(tmp_path), "two")


def test_key_changes_with_arms_and_draws(tmp_path: Path) -> None:
    keys = {plan(tmp_path).key(), plan(tmp_path, draws=2).key(), plan(tmp_path, nulls=()).key()}
    assert len(keys) == 3
    assert plan(tmp_path).key() == plan(tmp_path).key()


@pytest.mark.parametrize("name", ["no-data", "random-tokens", "second-draw"])
def test_a_recipe_may_not_take_the_name_of_a_null_arm(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="null arm"):
        Plan((recipe(name),), tmp_path, "m", "h", tmp_path / "out")


def test_unequal_sets_are_refused_unless_allowed(tmp_path: Path, tiny_model: Path) -> None:
    loaded = []
    for name, samples in (("small", 1), ("large", 2)):
        file = tmp_path / f"{name}.yaml"
        file.write_text(
            f"name: {name}\nsize: {{samples: {samples}, tokens: 32}}\ntarget: {{tasks: {{uuid: 1}}}}\n"
            "sources: [{generate: uuid}]\n"
        )
        loaded.append(load_recipe(file))
    tokenizer = Tokenizer(tiny_model)
    unequal = Plan(tuple(loaded), tiny_model, "m", "h", tmp_path / "out", nulls=())
    with pytest.raises(RefusedError, match="small draw 0: 1 sequences, 32 tokens"):
        make_arms(unequal, tokenizer, [], Silent())
    allowed = Plan(tuple(loaded), tiny_model, "m", "h", tmp_path / "out", nulls=(), allow_unequal=True)
    assert [len(arm.draws[0].rows) for arm in make_arms(allowed, tokenizer, [], Silent())] == [1, 2]


def test_the_second_draw_is_the_first_recipes_next_draw(tmp_path: Path, tiny_model: Path) -> None:
    file = tmp_path / "u.yaml"
    file.write_text(
        "name: u\nsize: {samples: 1, tokens: 32}\ntarget: {tasks: {uuid: 1}}\nsources: [{generate: uuid}]\n"
    )
    loaded, tokenizer = load_recipe(file), Tokenizer(tiny_model)
    one = Plan((loaded,), tiny_model, "m", "h", tmp_path / "one", nulls=("second-draw",))
    two = Plan((loaded,), tiny_model, "m", "h", tmp_path / "two", nulls=("second-draw",), draws=2)
    arms = {arm.name: arm for arm in make_arms(one, tokenizer, [], Silent())}
    (both,) = make_arms(two, tokenizer, [], Silent())
    assert [draw.set_hash for draw in both.draws] == [
        arms["u"].draws[0].set_hash,
        arms["second-draw"].draws[0].set_hash,
    ]
    assert both.draws[0].set_hash != both.draws[1].set_hash
