"""How long a run may take: by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_summary import recipe

from curator._durations import duration
from curator._errors import InputError
from curator._files import write_json
from curator.rank.budget import fitting, parse_budget, stored_draws
from curator.rank.cost import Costs
from curator.rank.ledger import Ledger
from curator.rank.plan import Plan
from curator.rank.planned_prompts import PlannedPrompts, planned_prompts
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.launch.launcher import Launcher
from curator.serve.open import ServeOptions

PROMPTS = PlannedPrompts({"prose": 2}, 60)
GPTQ, AWQ = QuantizeSettings(), QuantizeSettings(method="awq")


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A thousand million parameters on one core, in a file without blocks."""
    monkeypatch.setattr("curator.rank.cost.usable_cores", lambda: 1)
    with (tmp_path / "model.safetensors").open("wb") as handle:
        handle.truncate(2 * 10**9)
    return tmp_path


def plan(model: Path, **settings: Any) -> Plan:
    values: dict[str, Any] = {"tokens": 20, "nulls": ("no-data",)} | settings
    return Plan((recipe("a"), recipe("b")), model, "m", "h", model / "out", **values)


def test_the_rule_counts_operations(model: Path) -> None:
    costs = Costs(plan(model), PROMPTS)
    # 2e9 operations a token, 35e9 a second: 17.5 tokens a second. A set has 64 tokens, the prompts 60 + 2 * 20.
    second = 17.5
    gptq, scores = 10 + (2 * 64 + 1500) / second, 2 * (3 + 100 / second)
    assert costs.piece(GPTQ) == pytest.approx(gptq + scores)
    assert costs.piece(AWQ) == pytest.approx(10 + (22 * 64 + 1500) / second + scores)
    # Batch 8 and 1 of the baseline, 40 tokens decoded; two recipes, rounding, and the floor.
    baseline = 3 + (2 * 100 + 4 * 40) / second
    floor = gptq + 3 + 100 / second
    whole = costs.whole()
    rounding = 10 + 1500 / second + scores
    assert whole.seconds == pytest.approx(baseline + 2 * (gptq + scores) + rounding + floor)
    assert whole.timed == 0
    assert "by a rule of thumb" in whole.words() and "without building sets" in whole.words()


def test_a_server_is_started_for_each_checkpoint_and_scheme(model: Path) -> None:
    served = plan(model, serving=ServeOptions(launcher=Launcher()), scheme="W4A16", measurable=("W4A16",))
    costs = Costs(served, PROMPTS)
    # As above, with a minute a start, and 20 tokens read for each of the 40 decoded.
    second = 17.5
    score, gptq = 60 + 100 / second, 10 + (2 * 64 + 1500) / second
    assert costs.piece(GPTQ) == pytest.approx(gptq + score)
    # One start tells both floors: the same again, and batch 1.
    assert costs.floors(GPTQ) == pytest.approx(gptq + score + 100 / second)
    baseline = 60 + (2 * 100 + 20 * 40) / second
    rounding = 10 + 1500 / second + score
    floor = gptq + score + 100 / second
    whole = costs.whole()
    assert whole.seconds == pytest.approx(baseline + 2 * (gptq + score) + rounding + floor)
    assert whole.left_out == ("building sets",)


def test_draws_of_a_look_are_built_behind_the_earlier_ones(model: Path) -> None:
    for name in "ab":
        Ledger(model / "out").put({"step": "build", "of": name, "draws": 2, "seconds": 6.0})
    at_once, looks = (
        Costs(plan(model, draws=8, **how), PROMPTS).whole().seconds for how in ({}, {"looks": (5, 8)})
    )
    # Two recipes at 3 s a draw: 8 draws, or 5 and then all 8.
    assert looks - at_once == pytest.approx(2 * 3 * 5)


def test_what_was_timed_counts_and_scales_the_rest(model: Path) -> None:
    ledger = Ledger(model / "out")
    for number, seconds in enumerate((90.0, 100.0, 500.0)):
        ledger.put({"step": "quantise", "of": f"p{number}", "method": "gptq", "seconds": seconds})
        for scheme in ("W4A4", "W4A16"):
            ledger.put({"step": "score", "of": f"p{number}", "scheme": scheme, "seconds": 5.0})
    ledger.put({"step": "build", "of": "a", "draws": 4, "seconds": 8.0})
    costs = Costs(plan(model, draws=3), PROMPTS)
    assert costs.knows(GPTQ) and not costs.knows(AWQ)
    # The median is not moved by the set that another program delayed.
    assert costs.piece(GPTQ) == pytest.approx(100 + 2 * 5)
    # By the rule these steps take 103.0 + 2 * 8.7 s: this machine takes 110 / 120.5 as long.
    factor = 110 / (10 + 2 * 3 + (1628 + 200) / 17.5)
    assert costs.piece(AWQ) == pytest.approx(factor * (10 + (22 * 64 + 1500) / 17.5) + 10)
    words = costs.whole().words()
    assert "from 9 timed steps; without building sets" in words
    # A step that is done again replaces its line.
    ledger.put({"step": "build", "of": "a", "draws": 2, "seconds": 6.0})
    assert [line["seconds"] for line in ledger.steps() if line["step"] == "build"] == [6.0]


def test_a_model_of_no_size_does_not_make_the_machine_seem_slow(tmp_path: Path) -> None:
    """Nothing to compute: a baseline that took 6 s, by the rule 3 s of loading, doubles the rest of the rule."""
    (tmp_path / "model.safetensors").touch()
    Ledger(tmp_path / "out").put({"step": "baseline", "of": "x", "seconds": 6.0})
    assert Costs(plan(tmp_path), PROMPTS).piece(GPTQ) == pytest.approx(2 * (10 + 2 * 3))


def test_a_budget_gives_the_most_draws_that_fit(model: Path) -> None:
    ledger = Ledger(model / "out")
    for kind in ({"step": "baseline", "of": "x"}, {"step": "quantise", "of": "p", "method": "rtn"}):
        ledger.put({**kind, "seconds": 0.0})
    ledger.put({"step": "quantise", "of": "q", "method": "gptq", "seconds": 10.0})
    ledger.put({"step": "floors", "of": "q", "method": "gptq", "seconds": 12.0})
    for scheme in ("W4A4", "W4A16"):
        ledger.put({"step": "score", "of": "q", "scheme": scheme, "seconds": 1.0})
    # 12 s a draw of two arms, 12 s of floors, 2 s for the arm without data.
    for budget, draws, looks in ((14 + 24, 1, ()), (14 + 24 * 7, 7, ()), (14 + 24 * 8, 8, (5, 8)),
                                 (14 + 24 * 10 + 23, 10, (5, 10)), (14 + 24 * 40, 12, (5, 8, 12))):  # fmt: skip
        chosen, estimate = fitting(plan(model), PROMPTS, budget)
        assert (chosen.draws, chosen.looks) == (draws, looks)
        assert estimate.seconds == pytest.approx(14 + 24 * draws)


def test_budgets_are_lengths_of_time() -> None:
    given = {"2h": 7200, "90m": 5400, "1h30m": 5400, "1.5h": 5400, "40s": 40}
    assert {text: parse_budget(text) for text in given} == given
    for wrong in ("", "2", "h", "2 h", "-1h", "0m", "2h!", "nan", "1e9h", "٣h", "9" * 400 + "h",
                  "1h1h1h", "30m1h", "1h\n"):  # fmt: skip
        with pytest.raises(InputError, match="no length of time"):
            parse_budget(wrong)


def test_durations_are_for_people() -> None:
    assert [duration(seconds) for seconds in (40, 720, 12_600)] == ["40 s", "12 min", "3.5 h"]


def test_prompts_are_counted_before_they_are_made(model: Path) -> None:
    made = planned_prompts(plan(model, per_task=5))
    assert (made.by_task, made.tokens) == ({"prose": 5, "code": 5, "qa": 5}, 15 * 80)


def test_damaged_times_are_left_out_and_a_damaged_draw_plan_is_named(model: Path) -> None:
    good = {"step": "build", "of": "a", "draws": 2, "seconds": 6.0}
    wrong: list[dict[str, Any]] = [{"seconds": "6"}, {"draws": 0}, {"seconds": -1}, {"of": []}]
    bad = [1, {}, *({**good, **one} for one in wrong)]
    write_json(model / "out" / "ledger.json", {"steps": [*bad, good]})
    assert Ledger(model / "out").steps() == [good]
    write_json(model / "out" / "ledger.json", {"steps": 5})
    assert Ledger(model / "out").steps() == []
    write_json(model / "out" / "plan.json", {"draw_plan": {"draws": "many"}})
    with pytest.raises(InputError, match=r"plan\.json: draw_plan is damaged"):
        stored_draws(plan(model, budget=60.0))
