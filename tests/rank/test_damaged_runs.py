"""A run folder in which something was cut off or changed gives the ranking that it gave before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fake_runs
import pandas as pd
import pytest
from fake_runs import Fakes, loaded

from curator._errors import InputError
from curator._progress import Silent
from curator.rank.experiment import run
from curator.rank.plan import Plan

TIMES = ("cost", "quantize_seconds", "reproduce")


def told(ranking: dict[str, Any]) -> dict[str, Any]:
    """A ranking without its times, as JSON has it."""
    value: dict[str, Any] = json.loads(json.dumps(ranking))
    for name in TIMES:
        value.pop(name, None)
        for arm in value["arms"]:
            arm.pop(name, None)
    return value


@pytest.fixture
def plan(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    Fakes(tiny_model).install(monkeypatch)
    return fake_runs.plan(tmp_path, tiny_model, (loaded(tmp_path, "a"), loaded(tmp_path, "b", "random-words")))


def better_scores(out: Path) -> None:
    """Scores of every piece at the primary batch size, made better in a file that is whole."""
    for file in out.glob("pieces/*/W4A4-batch-1.parquet"):
        table = pd.read_parquet(file)
        table["kl"] /= 2
        table.to_parquet(file)


def edited(pattern: str, old: str, new: str) -> Any:
    """Replaces a piece of text in files of a run."""

    def edit(out: Path) -> None:
        files = list(out.glob(pattern))
        assert any(old in file.read_text() for file in files)
        for file in files:
            file.write_text(file.read_text().replace(old, new))

    return edit


def cut(pattern: str) -> Any:
    """Leaves half of each file."""

    def halve(out: Path) -> None:
        files = list(out.glob(pattern))
        assert files
        for file in files:
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    return halve


# At once what is found by different steps, so that a run is started as seldom as can be.
TOGETHER = {
    "ranking": [edited("ranking.json", '"verdict": "', '"verdict": "un')],
    "pieces": [
        better_scores,
        edited("pieces/*/floors.json", '"used_sd": 0', '"used_sd": 9'),
        edited("pieces/*/receipt.json", '"linears": 14', '"linears": 15'),
        cut("ledger.json"),
        cut("ranking.json"),
    ],
    "sets and baseline": [
        cut("arms/a/draw-0/set/manifest.json"),
        cut("arms/b/draw-0/set/samples.jsonl"),
        cut("baseline/baseline.json"),
        cut("ranking.json"),
    ],
    "arrays": [cut("baseline/full-1.npy"), better_scores, cut("ranking.json")],
}


def test_what_was_damaged_is_made_again(plan: Plan) -> None:
    before = told(run(plan, Silent()))
    for name, damages in TOGETHER.items():
        for damage in damages:
            damage(plan.out)
        assert told(run(plan, Silent())) == before, name


def test_a_damaged_plan_is_told_with_its_place(plan: Plan) -> None:
    (plan.out / "pieces").mkdir(parents=True)
    (plan.out / "plan.json").write_text('{"model": "m",\n"model_ha')
    with pytest.raises(InputError, match=r"plan\.json:2: not JSON .* restore the file from a copy") as told_of:
        run(plan, Silent())
    assert "\n" not in str(told_of.value)
    assert [path.name for path in sorted(plan.out.iterdir())] == ["pieces", "plan.json"]
