"""The clocks of the ranking's bench."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from rank_cost import places
from rank_cost.clocks import Clocks


def test_each_second_belongs_to_the_innermost_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def pass_time(seconds: float) -> float:
        now[0] += seconds
        return seconds

    clocks = Clocks()
    forward = clocks.around("forward", pass_time)
    score = clocks.around("score", lambda: pass_time(1.0) + forward(3.0) + pass_time(0.5))
    pass_time(7.0)
    assert score() == 4.5 and forward(4.0) == 4.0
    assert dict(clocks.seconds) == {"forward": 7.0, "score": 1.5}


def test_a_fault_is_timed_too() -> None:
    clocks = Clocks()

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        clocks.around("quantiser", fail)()
    assert clocks.around("forward", lambda: 1)() == 1
    assert set(clocks.seconds) == {"quantiser", "forward"}


def test_what_waits_for_a_child_is_shared_out_by_what_that_did() -> None:
    # Waited 30 s for two children: 20 s of the quantiser, 3 s of loading, 2 s of our checks; 5 s are their start.
    here = {"quantiser_child": 30.0, "model_load": 1.0, "model_forward": 40.0, "sets": 4.0}
    children = [
        {"quantiser": 12.0, "model_load": 2.0, "whole": 15.0},
        {"quantiser": 8.0, "model_load": 1.0, "whole": 10.0},
    ]
    found = places.document(80.0, here, children)
    assert found["quantiser_s"] == 20.0 and found["model_load_s"] == 4.0 and found["model_forward_s"] == 40.0
    # 80 - 20 - 4 - 40.
    assert found["own_s"] == 16.0 and found["own_share"] == 0.2
    assert found["own_parts"] == {
        "quantiser_start": 5.0, "start_and_rest": 5.0, "sets": 4.0, "quantiser_checks": 2.0,
    }  # fmt: skip


def test_every_place_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    put: list[str] = []
    monkeypatch.setattr("curator.serve.in_process.InProcess.__init__", lambda self: None)

    class Seen(Clocks):
        def put_around(self, name: str, *given: str) -> None:
            put.extend(given)

    places.put_clocks(Seen())
    for place in put:
        module, _, path = place.partition(":")
        holder = sys.modules.get(module) or __import__(module, fromlist=["x"])
        for step in path.split("."):
            holder = getattr(holder, step)
        assert callable(holder), place
    assert len(put) > 20
