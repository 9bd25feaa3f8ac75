"""A whole search on a tiny random model, with a quantiser that makes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_runs
import pytest
from fake_runs import Fakes

from curator._errors import InputError, RefusedError
from curator._files import write_json
from curator._progress import Silent
from curator.cli.output import console
from curator.cli.search_overview import show_overview
from curator.rank.planned_prompts import PlannedPrompts, planned_prompts
from curator.recipe.load import load_recipe
from curator.report.search_terminal import print_search
from curator.search.final import fresh_seed
from curator.search.knobs import start_of
from curator.search.mix import Mix
from curator.search.overview import overview
from curator.search.run import SearchPlan, _explore, run_search
from curator.search.space import space
from curator.search.steps import Done, Search
from curator.search.stored import fix_search
from curator.search.time import search_time

RECIPE = """\
name: {name}
size: {{samples: 2, tokens: 32}}
target: {{tasks: {{words: 1}}}}
sources:
  - {{generate: uuid, task: words}}
  - {{generate: random-words, task: words, weight: {weight}}}
continuity: {{min: false}}
"""


def recipe(folder: Path, name: str, weight: int = 1) -> Any:
    (folder / f"{name}.yaml").write_text(RECIPE.format(name=name, weight=weight))
    return load_recipe(folder / f"{name}.yaml")


def prompts(folder: Path) -> Path:
    keys = {"corpus": "c", "language": "en", "licence": "MIT"}
    rows = [
        {"id": f"p{n}", "task": f"t{n % 2}", "unit": f"u{n}", **keys, "text": f"The boat number {n} is"}
        for n in range(8)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "prompts.jsonl"


@pytest.fixture
def plan(tmp_path: Path, tiny_model: Path) -> SearchPlan:
    rank = fake_runs.plan(tmp_path, tiny_model, (recipe(tmp_path, "mine"),), heldout=prompts(tmp_path))
    return SearchPlan(rank, "sources.*.weight", evaluations=13)


class Listener(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


class Killed(Exception):
    """Stands in for kill -9."""


def test_a_search_is_judged_on_the_other_half_with_fresh_draws_and_goes_on_after_a_kill(
    plan: SearchPlan, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)

    def dying(*args: Any, **more: Any) -> Any:
        if len(fakes.made) == 6:
            raise Killed
        return fakes.quantize(*args, **more)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("curator.rank.measure_arm.quantize_model", dying)
        run_search(plan, Silent())
    listener = Listener()
    whole, out = run_search(plan, listener), plan.rank.out
    said = [
        line for line in listener.lines if line.startswith("13 evaluations, then 10 fresh sets on the other half")
    ]
    assert len(said) == 1 and "(an estimate, from" in said[0]
    # Those before the kill are not evaluated again.
    assert next(line for line in listener.lines if line.startswith("evaluation")).startswith(
        "evaluation 7 of 13: "
    )
    # Seven here, each with what it gave; all but the last with the time that is left.
    gave = [line for line in listener.lines if "on the search half" in line and line.startswith("KL 0.")]
    assert len(gave) == 7 and sum(" left of the evaluations" in line for line in gave) == 6
    # Thirteen evaluations, five fresh draws of two recipes and the floor: nothing was measured twice.
    assert len(fakes.made) == len(set(fakes.made)) + 1 == 13 + 10 + 1
    halves = [
        {json.loads(line)["id"] for line in (out / f"{half}-half.jsonl").read_text().splitlines()}
        for half in ("search", "other")
    ]
    assert not halves[0] & halves[1] and len(halves[0] | halves[1]) == 8
    used = [json.loads((out / part / "plan.json").read_text())["prompts_sha256"] for part in ("explore", "final")]
    assert used[0] != used[1]
    sets = [
        [json.loads(path.read_text()) for path in out.glob(f"{part}/arms/*/*/set/manifest.json")]
        for part in ("explore", "final")
    ]
    assert not {one["set_hash"] for one in sets[0]} & {one["set_hash"] for one in sets[1]}
    assert {one["recipe"]["seed"] for one in sets[1]} == {fresh_seed(plan.seed)}
    winner = whole["winner"]["name"]
    assert {one["name"] for one in sets[1]} == {winner, "mine"} and whole["written"] == "mine"
    record = whole["record"]["evaluations"]
    assert len(record) == 13 and all(one["kl"] > 0 for one in record)
    assert whole["result"]["a"] == winner and whole["result"]["scope"] == "recipes"
    built = load_recipe(tmp_path / "mine.yaml", whole["winner"]["set"]).recipe.model_dump(mode="json")
    assert built["sources"] == next(one for one in sets[1] if one["name"] == winner)["recipe"]["sources"]
    fakes.made.clear()
    assert run_search(plan, Silent()) == whole and not fakes.made
    with pytest.raises(RefusedError, match=r"seed was 0, is 1"):
        run_search(replace(plan, seed=1), Silent())


def test_a_time_becomes_a_number_of_evaluations_once(plan: SearchPlan, tmp_path: Path) -> None:
    out = plan.rank.out
    timed = replace(plan, evaluations=None, seconds=1000.0)
    knobs, _ = space(plan.rank.recipes[0], plan.over)
    search = Search("mine", knobs, (Mix("mine", 0, (), start_of(knobs)),), 13)
    steps = {"baseline": 100.0, "build": 2.0, "quantise": 10.0, "score": 3.0}

    def explore(seconds: dict[str, float]) -> int:
        lines = [{"step": step, "of": "x", "seconds": own} for step, own in seconds.items()]
        write_json(out / "explore" / "ledger.json", {"steps": lines})
        return len(_explore(timed, search, lambda step: Done(step, 0.1), Silent()))

    fix_search(out, timed.fixed())
    # Both baselines, ten draws and a floor at the end: 635 s are left of 1000, an evaluation takes 15.
    assert explore(steps) == (1000 - 2 * 100 - 11 * 15) // 15 == 42
    # Whatever the clock says later.
    assert explore({**steps, "quantise": 90.0}) == 42
    timed = replace(timed, rank=replace(plan.rank, out=tmp_path / "short"), seconds=500.0)
    out = timed.rank.out
    fix_search(out, timed.fixed())
    with pytest.raises(RefusedError, match="gives 9 evaluations and the comparison at the end, 13 are the least"):
        explore(steps)


def test_the_time_of_a_search_is_told(tmp_path: Path) -> None:
    """By timed steps: baseline 100 s, a set 10 s, a scheme 3 s, floors 14 s."""
    explored = fake_runs.plan(tmp_path, tmp_path, (recipe(tmp_path, "mine"),))
    steps: list[dict[str, Any]] = [
        {"step": "baseline", "of": "x", "seconds": 100.0},
        {"step": "quantise", "of": "p", "method": "gptq", "seconds": 10.0},
        {"step": "floors", "of": "p", "method": "gptq", "seconds": 14.0},
        *({"step": "score", "of": "p", "scheme": scheme, "seconds": 3.0} for scheme in ("W4A4", "W4A16")),
    ]
    write_json(explored.out / "ledger.json", {"steps": steps})
    found = search_time(explored, 20, ("W4A4", "W4A16"), PlannedPrompts({"t": 8}, 80))
    # Two baselines, twenty sets under one scheme, ten under two, and the floors.
    assert found.seconds == pytest.approx(2 * 100 + 20 * 13 + 10 * 16 + 14)


def test_a_plan_is_told_in_the_words_of_a_search_and_nothing_is_done(
    plan: SearchPlan, capfd: pytest.CaptureFixture[str]
) -> None:
    found = overview(plan)
    assert found["over"] == ["sources.0.weight", "sources.1.weight"] and found["dimensions"] == 1
    assert (found["written"], found["evaluations"], found["measured"]) == (["mine"], 13, 0)
    # Eight prompts of two tasks, half of each.
    assert found["prompts"] == {"t0": 2, "t1": 2}
    half = PlannedPrompts(found["prompts"], planned_prompts(plan.rank).tokens // 2)
    explored = replace(plan.rank, out=plan.rank.out / "explore", nulls=(), measurable=("W4A4",))
    assert found["estimate"]["words"] == search_time(explored, 13, plan.rank.measurable, half).words()
    show_overview(plan, as_json=True)
    assert json.loads(capfd.readouterr().out) == found
    show_overview(plan, as_json=False)
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "searched: sources.0.weight, sources.1.weight (1 dimensions)"
    assert lines[2] == "evaluations: 13" and lines[-1].startswith("time: about ")
    by_time = overview(replace(plan, evaluations=None, seconds=7200.0))
    assert by_time["evaluations"] is None and by_time["budget"] == "2.0 h"
    assert by_time["estimate"]["words"].endswith("13 evaluations, then 10 fresh sets on the other half")
    with pytest.raises(InputError, match="need 13 evaluations or more"):
        overview(replace(plan, evaluations=5))
    assert not plan.rank.out.exists()


def test_the_terminal_tells_the_result_and_marks_the_record(capfd: pytest.CaptureFixture[str]) -> None:
    record = {
        "winner_mean": 0.21,
        "winner_estimate": 0.23,
        "written_mean": 0.25,
        "evaluations": [{"kl": 0.2}, {"kl": None}],
    }
    result = {
        "verdict": "no better mix than mine was found",
        "result": {"words": "mix-1 and mine are not separated."},
        "winner": {"name": "mix-1", "changes": ["weight of corpus a for b 1 -> 3 (share of b 50 % -> 75 %)"]},
        "written": "mine",
        "record": record,
        "warnings": [],
    }
    print_search(result, console())
    told = " ".join(capfd.readouterr().out.split())
    assert told.startswith("no better mix than mine was found mix-1 and mine are not separated. the mix mix-1")
    assert "0.2100 (0.2300 with the mixes near it in view), that of mine 0.2500" in told
    assert "no result" in told and "2 evaluations on the search half, 1 of which gave no set" in told


def test_what_is_wrong_with_the_plan_is_told_before_anything_is_made(plan: SearchPlan, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="need 13 evaluations or more"):
        run_search(replace(plan, evaluations=5), Silent())
    with pytest.raises(InputError, match="nothing to search"):
        run_search(replace(plan, over=""), Silent())
    (tmp_path / "big.yaml").write_text(RECIPE.format(name="big", weight=1).replace("samples: 2", "samples: 3"))
    unequal = replace(plan.rank, recipes=(*plan.rank.recipes, load_recipe(tmp_path / "big.yaml")))
    with pytest.raises(RefusedError, match=r"unequal size \(64 and 96 tokens\)"):
        run_search(replace(plan, rank=unequal, evaluations=20), Silent())
    assert not plan.rank.out.exists()
