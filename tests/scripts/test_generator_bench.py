"""Who makes which samples, and what is told of them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from generator_bench import __main__ as bench
from generator_bench import measure

from curator.corpora.generators import GENERATORS
from curator.corpora.generators.budget import rough_count


def test_every_sample_is_made_once_and_no_generator_has_more_than_another() -> None:
    work = list(measure.stretches(1000, 4096, 2))
    made = Counter((one.generator, one.language, index) for one in work for index in range(one.first, one.last))
    assert made.total() == 1000 and set(made.values()) == {1}
    cells = Counter((name, language) for name, language, _ in made)
    assert {name for name, _ in cells} == set(GENERATORS) and max(cells.values()) - min(cells.values()) == 1
    assert cells["niah", "zh"] and cells["uuid", "und"] and ("uuid", "en") not in cells


def test_a_cell_tells_its_budget_and_its_mean_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "counter", lambda: rough_count)
    timed = measure.make(measure.Stretch("kv", "zh", 3, 5, 700))
    assert len(timed.used) == 2 and 0.98 <= min(timed.used) <= max(timed.used) <= 1
    cells = [measure.Cell("a", "en", {}, 1.0, 6.0, [0.98, 1.0]), measure.Cell("b", "en", {}, 0.5, 2.5, [0.99])]
    asked = argparse.Namespace(samples=3, tokens=700, workers=2)
    found = bench.summary(cells, asked, 99.0, {"load": 3.0})
    assert found["cells"][0]["cpu_ms_a_sample"] == 3000.0 and found["cells"][0]["budget_used_mean"] == 0.99
    # 8.5 s of making and 1.5 s of setting up over two processes; the clock is the machine's.
    assert (found["cpu_s_a_worker"], found["samples"], found["target_met"]) == (5.0, 3, None)
    asked = argparse.Namespace(samples=1000, tokens=4096, workers=2)
    assert bench.summary(cells, asked, 99.0, {})["target_met"] is True
