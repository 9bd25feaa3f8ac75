"""The clocks of the ranking's bench."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from rank_cost.timers import Timers


def test_a_clock_inside_another_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def pass_time(seconds: float) -> float:
        now[0] += seconds
        return seconds

    timers = Timers()
    inner = timers.around("forward", pass_time)
    outer = timers.around("quantiser", lambda: inner(3.0) + pass_time(2.0))
    assert outer() == 5.0 and inner(4.0) == 4.0
    assert dict(timers.seconds) == {"quantiser": 5.0, "forward": 4.0}
    assert timers.document(10.0) == {
        "wall_s": 10.0, "forward_s": 4.0, "quantiser_s": 5.0, "own_s": 1.0, "own_share": 0.1,
    }  # fmt: skip


def test_a_fault_is_timed_too() -> None:
    timers = Timers()

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        timers.around("quantiser", fail)()
    assert timers.around("forward", lambda: 1)() == 1
    assert set(timers.seconds) == {"quantiser", "forward"}
