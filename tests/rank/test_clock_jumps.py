"""A run during which the clock jumps by years, forwards and backwards, gives the ranking of any other."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import fake_runs
import pytest
from fake_runs import Fakes, loaded
from test_damaged_runs import told

from curator._progress import Silent
from curator.rank.experiment import run

YEAR = 365 * 24 * 3600.0
JUMPS = (0.0, 10 * YEAR, -20 * YEAR, 0.5, -YEAR)


@pytest.mark.full
def test_a_clock_that_jumps_changes_nothing(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Fakes(tiny_model).install(monkeypatch)

    def ranked(name: str) -> dict[str, object]:
        (tmp_path / name).mkdir()
        recipes = (loaded(tmp_path / name, "a"), loaded(tmp_path / name, "b", "random-words"))
        plan = fake_runs.plan(tmp_path / name, tiny_model, recipes)
        ranking = told(run(plan, Silent()))
        # Nothing of a run before may be stale, or newer than now.
        again = told(run(plan, Silent()))
        assert again == ranking
        assert all(row["seconds"] >= 0 for row in run(plan, Silent())["cost"])
        return ranking

    steady = ranked("steady")
    real, looks, jumps = time.time, [0], itertools.cycle(JUMPS)

    def jumping() -> float:
        looks[0] += 1
        return real() + next(jumps)

    monkeypatch.setattr(time, "time", jumping)
    monkeypatch.setattr(time, "time_ns", lambda: int(jumping() * 1e9))
    assert ranked("jumping") == steady
    # The libraries below do look at it.
    assert looks[0] > 0
