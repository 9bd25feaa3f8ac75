"""What --plan tells, without anything being done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_runs import Fakes, loaded, plan
from rich.console import Console

from curator._errors import RefusedError
from curator._progress import Silent
from curator._seal import sealed
from curator.cli import rank_overview
from curator.rank.experiment import run
from curator.rank.overview import notes, overview
from curator.recipe.quantize_settings import QuantizeSettings

METHODS = (QuantizeSettings(), QuantizeSettings(method="awq"))


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_it_tells_all_and_does_nothing(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = (loaded(tmp_path, "a"), loaded(tmp_path, "b"))
    asked = plan(
        tmp_path,
        tiny_model,
        recipes,
        quantize=METHODS,
        draws=8,
        looks=(5, 8),
        nulls=("no-data", "random-tokens", "second-draw"),
    )
    before = files(tmp_path)
    told = overview(asked)
    assert files(tmp_path) == before
    # The second draw stands in for a replicate where there is one draw; nulls are judged at the first look.
    assert {arm["name"]: arm["draws"] for arm in told["arms"]} == {
        "no-data": 1,
        **{f"{name} ({method})": 8 for name in "ab" for method in ("gptq", "awq")},
        **{f"random-tokens ({method})": 5 for method in ("gptq", "awq")},
    }
    assert told["prompts"] == {"t0": 5, "t1": 5}
    assert told["looks"] == {"draws": [5, 8], "shares": pytest.approx([5 / 13, 8 / 13])}
    assert told["comparisons"].startswith("4 comparisons")
    assert told["estimate"]["left"] > 0 and json.loads(json.dumps(told, allow_nan=False))

    console = Console(width=200, record=True)
    monkeypatch.setattr("curator.cli.output.console", lambda: console)
    rank_overview.show_overview(asked, as_json=False)
    text = console.export_text()
    assert "looks: at 5, 8 draws, with 38.5%, 61.5% of the error rate" in text
    assert "held-out prompts: 10 (5 t0, 5 t1), 4 scored tokens each" in text
    assert "(an estimate, by a rule of thumb" in text


def test_what_was_measured_before_is_told(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Fakes(tiny_model).install(monkeypatch)
    asked = plan(tmp_path, tiny_model, (loaded(tmp_path, "a"), loaded(tmp_path, "b", seed=1)), nulls=("no-data",))
    run(asked, Silent())
    more = replace(asked, draws=3)

    def measured(changed: Any) -> dict[str, int]:
        return {arm["name"]: arm["measured"] for arm in overview(changed)["arms"]}

    assert measured(more) == {"no-data": 1, "a": 1, "b": 1}
    # An edited recipe has other sets.
    assert measured(replace(more, recipes=(loaded(tmp_path, "a", seed=5), *asked.recipes[1:])))["a"] == 0
    told = overview(more)["estimate"]
    assert "timed steps" in told["words"] and told["left"] < told["seconds"]
    with pytest.raises(RefusedError, match="tokens was 4, is 5"):
        overview(replace(asked, tokens=5))


def test_a_budget_is_shown_as_the_draws_that_it_would_give(tmp_path: Path, tiny_model: Path) -> None:
    asked = plan(tmp_path, tiny_model, (loaded(tmp_path, "a"),), budget=36_000.0)
    told = overview(asked)
    assert told["budget"]["draws"] == 12 and told["budget"]["looks"] == [5, 8, 12]
    assert "a budget of 10.0 h gives 12 draws an arm, looks at 5, 8, 12" in told["budget"]["words"]
    assert "the run measures one set a method first" in told["budget"]["words"]
    assert not asked.out.exists()


def test_notes_come_at_the_start(tmp_path: Path, tiny_model: Path) -> None:
    recipe = loaded(tmp_path, "a")
    noted = replace(recipe, notes=("task shares of extends were merged",))
    told = overview(plan(tmp_path, tiny_model, (noted,), draws=3, looks=(3,)))
    assert told["notes"][0] == "a: task shares of extends were merged"
    assert "provisional" in told["notes"][1]
    arms = [{"name": "a", "kind": "user", "draws": 4}, {"name": "no-data", "kind": "null", "draws": 1}]
    for draws, told_so in ((3, True), (4, False), (5, False)):
        later = replace(plan(tmp_path, tiny_model, (recipe,), draws=draws), out=tmp_path / "later")
        later.out.mkdir(exist_ok=True)
        (later.out / "ranking.json").write_text(json.dumps(sealed({"arms": arms})))
        assert any("has 4 draws of each recipe: the first 3 alone" in note for note in notes(later)) == told_so
    for draws, words in ((1, 0), (2, 1)):
        several = overview(plan(tmp_path, tiny_model, (recipe,), draws=draws, nulls=("second-draw",)))
        assert sum("no arm second-draw" in note for note in several["notes"]) == words
