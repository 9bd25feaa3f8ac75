"""Whole runs: what is measured, what is found again, and what a look or a budget decides."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fake_runs
import pytest
from fake_runs import Fakes, loaded

from curator._errors import RefusedError
from curator._progress import Silent
from curator.rank.experiment import run
from curator.rank.sets import scarce_text
from curator.recipe.load import load_recipe


class Listener(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def fakes(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Fakes:
    made = Fakes(tiny_model)
    made.install(monkeypatch)
    return made


def test_only_what_is_new_is_measured(tmp_path: Path, tiny_model: Path, fakes: Fakes) -> None:
    one, two = loaded(tmp_path, "one"), loaded(tmp_path, "two", seed=1)
    first = fake_runs.plan(tmp_path, tiny_model, (one, two), draws=2)
    run(first, Silent())
    # Two recipes with two draws, and the first set once more for the floor.
    assert len(fakes.made) == 5 and len(set(fakes.made)) == 4
    fakes.made.clear()

    def made_for(plan: Any) -> list[tuple[str, str]]:
        fakes.made.clear()
        run(plan, Silent())
        return list(fakes.made)

    assert made_for(first) == []
    assert len(made_for(replace(first, draws=3))) == 2
    three = loaded(tmp_path, "three", task="random-words")
    assert len(made_for(replace(first, draws=3, recipes=(one, two, three)))) == 3
    # Recipes were ranked at three draws, and now again at four: no look was planned.
    assert not any("ranked here before" in line for line in run(replace(first, draws=3), Silent())["warnings"])
    further = run(replace(first, draws=4), Silent())
    assert further["looked_before"] == [2, 3]
    assert any("at 3 draws: each further look" in line for line in further["warnings"])
    # Under another name a recipe draws the same sets: nothing of it is measured again.
    again = loaded(tmp_path, "renamed", seed=1)
    assert made_for(replace(first, draws=3, recipes=(one, again))) == []
    # A method is an arm like any other: its own floor, and the sets that are there.
    both = replace(first, quantize=(first.quantize[0], type(first.quantize[0])(method="awq")))
    methods = [method for method, _ in made_for(both)]
    assert methods == ["awq"] * 5


def test_methods_and_recipes_are_compared_but_not_crossed(tmp_path: Path, tiny_model: Path, fakes: Fakes) -> None:
    settings = fake_runs.plan(tmp_path, tiny_model, (loaded(tmp_path, "x"),)).quantize[0]
    recipes = (loaded(tmp_path, "a", task="random-words"), loaded(tmp_path, "b"))
    plan = fake_runs.plan(
        tmp_path,
        tiny_model,
        recipes,
        draws=3,
        quantize=(settings, type(settings)(method="awq")),
        nulls=("no-data", "random-tokens"),
    )
    listener = Listener()
    ranking = run(plan, listener)
    users = {frozenset((pair["a"], pair["b"])) for pair in ranking["pairs"] if pair["family"] == "user"}
    within = [("a (gptq)", "b (gptq)"), ("a (awq)", "b (awq)")]
    assert users == {frozenset(pair) for pair in (*within, ("a (gptq)", "a (awq)"), ("b (gptq)", "b (awq)"))}
    nulls = {frozenset((pair["a"], pair["b"])) for pair in ranking["pairs"] if pair["family"] == "null"}
    # The arm without data with all six others; each random-tokens with the two recipes of its method and its twin.
    assert len(nulls) == 6 + 4 + 1
    assert frozenset(("a (gptq)", "random-tokens (awq)")) not in nulls
    said = "4 comparisons, adjusted by Holm together: 2 of recipes within a method, 2 of methods within a recipe"
    assert any(line.startswith(said) for line in listener.lines)
    assert ranking["comparisons"]["words"].startswith(said)
    assert {(arm["name"], arm["method"]) for arm in ranking["arms"] if arm["kind"] == "user"} == {
        (f"{name} ({method})", method) for name in "ab" for method in ("gptq", "awq")
    }
    names = {f"{kind}, {method}" for kind in ("requantise", "used") for method in ("gptq", "awq")}
    assert set(ranking["floors"]) == {*names, "used_sd"}


def test_each_method_is_judged_by_its_own_floor(
    tmp_path: Path, tiny_model: Path, fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if AWQ repeated itself less well: the intervals of GPTQ's arms are those of GPTQ alone."""
    floor = {"gptq": 0.0, "awq": 0.5}
    monkeypatch.setattr(
        "curator.rank.measure_all.measure_floors",
        lambda _plan, _baseline, arm, *_: {"used_sd": floor[arm.quantize.method]},
    )
    recipes = (loaded(tmp_path, "a", task="random-words"), loaded(tmp_path, "b"))
    alone = fake_runs.plan(tmp_path, tiny_model, recipes, draws=3)
    settings = alone.quantize[0]
    both = replace(alone, quantize=(settings, type(settings)(method="awq")), out=tmp_path / "both")
    widths = {}
    for name, plan in (("alone", alone), ("both", both)):
        for arm in run(plan, Silent())["arms"]:
            widths[name, arm["name"]] = arm["kl_ci"][1] - arm["kl_ci"][0]
    assert widths["both", "a (gptq)"] == pytest.approx(widths["alone", "a"])
    # Twice 1.96 floors at least, less what lies below 0.
    assert widths["both", "a (awq)"] > 0.98 > widths["both", "a (gptq)"]


def test_a_beaten_arm_gets_no_more_draws_and_stays_in_the_table(
    tmp_path: Path, tiny_model: Path, fakes: Fakes
) -> None:
    recipes = (
        loaded(tmp_path, "words", task="random-words"),
        loaded(tmp_path, "bad"),
        loaded(tmp_path, "others", task="random-words", seed=1),
    )
    looks: dict[str, Any] = {"draws": 5, "looks": (3, 5), "margin": 0.0, "nulls": ("random-tokens",)}
    plan = fake_runs.plan(tmp_path, tiny_model, recipes, **looks)
    listener = Listener()
    ranking = run(plan, listener)
    arms = {arm["name"]: arm for arm in ranking["arms"]}
    assert {name: arm["draws"] for name, arm in arms.items()} == {
        "words": 5,
        "others": 5,
        "bad": 3,
        "random-tokens": 3,
    }
    assert len(fakes.made) == 5 + 5 + 3 + 3 + 1
    assert arms["bad"]["kl_ci"][0] > 0
    assert (ranking["looks"]["planned"], ranking["looks"]["made"]) == ([3, 5], 2)
    assert any("look 1 of 2; not the best, and measured no further: bad" in line for line in listener.lines)
    assert any("provisional" in line for line in listener.lines)
    # Looks are part of the plan: choosing them after a look at the results is refused.
    for other in (replace(plan, looks=(3, 5, 8), draws=8), replace(plan, looks=())):
        with pytest.raises(RefusedError, match=r"looks was \[3, 5\]"):
            run(other, Silent())


def test_sets_are_built_when_their_look_is_reached(tmp_path: Path, tiny_model: Path, fakes: Fakes) -> None:
    words, bad = loaded(tmp_path, "words", task="random-words"), loaded(tmp_path, "bad")
    looks: dict[str, Any] = {"draws": 5, "looks": (3, 5), "margin": 0.0}
    run(fake_runs.plan(tmp_path, tiny_model, (words, bad), **looks), Silent())
    # One arm is left after the first look: nothing more is built of either.
    sets = {path.parent.parent.name for path in (tmp_path / "out/arms").glob("*/draw-*/set")}
    assert sets == {"words", "bad"}
    assert {path.parent.name for path in (tmp_path / "out/arms").glob("*/draw-*/set")} == {
        f"draw-{number}" for number in range(3)
    }
    # Two that are alike go on, and their draws are those of a run that builds all at the start.
    others = loaded(tmp_path, "others", task="random-words", seed=1)
    staged_plan = replace(fake_runs.plan(tmp_path, tiny_model, (words, others), **looks), out=tmp_path / "staged")
    runs = {
        "staged": run(staged_plan, Silent()),
        "at-once": run(replace(staged_plan, looks=(), out=tmp_path / "at-once"), Silent()),
    }
    for arm in runs["staged"]["arms"]:
        assert arm["draws"] == 5
    staged, at_once = (runs[name]["per_prompt"]["draws"] for name in ("staged", "at-once"))
    assert staged == at_once


def test_too_little_text_for_the_looks_is_told_at_the_start(
    tmp_path: Path, tiny_model: Path, fakes: Fakes
) -> None:
    # Some 60 tokens a text, of which three draws of 64 need more than three times as many.
    rows = [
        {"text": f"The {word} stands by the water, and boats pass it all day long." * 2}
        for word in ("bell", "sea")
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "few.yaml").write_text(
        "name: few\nsize: {samples: 2, tokens: 32}\ntarget: {tasks: {prose: 1}}\n"
        "sources: [{files: rows.jsonl, task: prose}]\ncontinuity: {min: false}\n"
        "gates: {length: {min_chars: 5}, repetition: false, near_duplicates: false}\n"
    )
    plan = fake_runs.plan(tmp_path, tiny_model, (load_recipe(tmp_path / "few.yaml"),), draws=30, looks=(3, 30))
    told = [line for line in scarce_text(plan) if line.startswith("few: ")]
    assert len(told) == 1 and "of 30 draws; later draws repeat it" in told[0]
    assert scarce_text(replace(plan, looks=())) == []
    assert (
        scarce_text(fake_runs.plan(tmp_path, tiny_model, (loaded(tmp_path, "endless"),), draws=5, looks=(5,)))
        == []
    )


def test_a_budget_becomes_draws_once(
    tmp_path: Path, tiny_model: Path, fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipes = (loaded(tmp_path, "words", task="random-words"), loaded(tmp_path, "bad"))
    # A clock that stands still: only the quantiser's own second counts, for two arms and one set of the floor.
    monkeypatch.setattr("curator.rank.ledger.time", SimpleNamespace(monotonic=lambda: 0.0))
    plan = fake_runs.plan(tmp_path, tiny_model, recipes, budget=11.5)
    listener = Listener()
    ranking = run(plan, listener)
    assert "nothing is timed yet; one set a method is measured" in listener.lines[0]
    chosen = ranking["budget"]
    assert (chosen["draws"], chosen["looks"], chosen["estimate_seconds"]) == (5, [], 11)
    assert "a budget of 12 s gives 5 draws an arm" in chosen["words"] and "(an estimate, from" in chosen["words"]
    assert {arm["draws"] for arm in ranking["arms"]} == {5}
    with pytest.raises(RefusedError, match="one draw an arm takes about 3 s"):
        run(replace(plan, budget=2.5, out=tmp_path / "short"), Silent())
    # Whatever the clock says now, the draws are those that were written down.
    monkeypatch.setattr("curator.rank.experiment.fix_draws", None)
    again = run(replace(plan, recipes=(*recipes, loaded(tmp_path, "more", seed=2))), Silent())
    assert again["budget"] == chosen
    with pytest.raises(RefusedError, match=r"budget was 11\.5, is 60\.0"):
        run(replace(plan, budget=60.0), Silent())
