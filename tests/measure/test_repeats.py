from __future__ import annotations

import pandas as pd
import pytest

from curator.measure.candidate import Measured
from curator.measure.repeats import jitter, within_jitter


def run(kl: list[float], top1: list[float]) -> list[Measured]:
    table = pd.DataFrame({"prompt": ["a", "a", "b", "b"], "task": ["x", "x", "y", "y"], "kl": kl, "top1": top1})
    return [Measured("prefill", 8, table)]


def test_spreads_by_hand() -> None:
    first, again = run([0.1, 0.3, 0.2, 0.2], [1, 1, 0, 1]), run([0.1, 0.5, 0.2, 0.2], [1, 0, 0, 1])
    (line,) = jitter([first, again], "restart")
    # Means: 0.2 and 0.2 of two kinds; then 0.3 and 0.2.
    assert line["kl_means"] == pytest.approx([0.2, 0.25])
    assert line["kl_sd"] == pytest.approx(0.05 / 2**0.5)
    # Agreement: (1 + 0.5) / 2, then (0.5 + 0.5) / 2.
    assert line["top1_sd"] == pytest.approx(0.25 / 2**0.5)
    assert (line["flips"], line["moved"]) == (0.25, 0.25)
    assert (line["phase"], line["batch_size"], line["how"], line["runs"]) == ("prefill", 8, "restart", 2)


def test_runs_that_do_not_move() -> None:
    (line,) = jitter([run([0.1, 0.3, 0.2, 0.2], [1, 1, 0, 1])] * 3, "run")
    assert line["kl_sd"] == pytest.approx(0.0, abs=1e-15)
    assert (line["flips"], line["moved"], line["runs"]) == (0.0, 0.0, 3)


def test_a_gap_below_two_spreads_is_none() -> None:
    assert within_jitter(0.20, 0.21, 0.006)
    assert not within_jitter(0.20, 0.22, 0.006)
    assert not within_jitter(0.20, 0.20, None)
