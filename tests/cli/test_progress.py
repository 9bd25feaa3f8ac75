"""What is left of a step is told by the rate of this run, on a terminal and in lines."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from curator._durations import about
from curator._progress import Narrator
from curator.cli import progress
from curator.cli.pace import Pace
from curator.cli.progress import BarNarrator, LineNarrator


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


def test_the_rate_is_this_runs_alone() -> None:
    pace = Pace(1000)
    # 400 were there before; then 100 in 20 s, so that 500 take 100 s more.
    pace.add(400, 0.0)
    assert pace.left(5.0) is None
    pace.add(100, 20.0)
    assert pace.left(20.0) == pytest.approx(100.0)
    # Time goes by, and no more than nothing is left.
    assert pace.left(50.0) == pytest.approx(70.0)
    assert pace.left(500.0) == 0.0
    pace.add(250, 120.0)
    # 350 in 120 s; 250 are left.
    assert pace.left(120.0) == pytest.approx(250 * 120 / 350)
    assert pace.share() == 0.75
    pace.add(250, 200.0)
    assert pace.words(200.0) == ""


def test_nothing_is_guessed() -> None:
    unknown = Pace(None)
    unknown.add(3, 0.0)
    unknown.add(3, 5.0)
    assert (unknown.left(6.0), unknown.words(6.0), unknown.share()) == (None, "", 0.0)
    all_there = Pace(10)
    all_there.add(10, 0.0)
    assert all_there.words(3.0) == ""
    at_once = Pace(10)
    at_once.add(1, 7.0)
    at_once.add(1, 7.0)
    assert at_once.left(7.0) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "a few seconds"),
        (38, "about 40 s"),
        (57, "about 55 s"),
        (58, "about 1 min"),
        (251, "about 4 min"),
        (5340, "about 89 min"),
        (9000, "about 2.5 h"),
    ],
)
def test_durations_are_round(seconds: float, words: str) -> None:
    assert about(seconds) == words


def test_a_log_gets_the_time_left(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    shown = LineNarrator()
    monkeypatch.setattr(shown, "say", lines.append)
    with shown.bar("prefill at batch 8, 4,000 tokens", 4000) as advance:
        advance(0)
        for _ in range(4):
            clock.now += 60
            advance(500)
    assert lines == [
        "prefill at batch 8, 4,000 tokens ...",
        "prefill at batch 8, 4,000 tokens: 12% after 60 s, about 7 min left",
        "prefill at batch 8, 4,000 tokens: 25% after 120 s, about 6 min left",
        "prefill at batch 8, 4,000 tokens: 38% after 180 s, about 5 min left",
        "prefill at batch 8, 4,000 tokens: 50% after 240 s, about 4 min left",
        "prefill at batch 8, 4,000 tokens: done in 240.0 s",
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_a_bar_stays_in_one_line(clock: Clock, width: int) -> None:
    shown, written = BarNarrator(), io.StringIO()
    shown._console = Console(file=written, force_terminal=True, width=width, legacy_windows=False)
    label = "5/6 forced decode at batch 32, 18,432 tokens"
    with shown.bar(label, 800) as advance:
        advance(0)
        clock.now += 60
        advance(200)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-ln-z]", "\r", re.sub(r"\x1b\[[0-9;]*m", "", written.getvalue()))
    drawn = [line.strip() for line in re.split(r"[\r\n]", text) if line.strip()]
    assert all(label in line for line in drawn)
    assert "100%" in drawn[-1]
    assert "left" not in drawn[-1]


def test_a_bar_that_is_left_in_the_middle_tells_the_rest(clock: Clock) -> None:
    shown, written = BarNarrator(), io.StringIO()
    shown._console = Console(file=written, force_terminal=True, width=80, legacy_windows=False)

    def step(narrator: Narrator) -> None:
        with narrator.bar("5/6 forced decode at batch 32, 18,432 tokens", 800) as advance:
            advance(0)
            clock.now += 60
            advance(200)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        step(shown)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.getvalue()).splitlines()[-1]
    assert "18,432 tokens" in last
    assert "25%" in last
    assert last.rstrip().endswith("about 3 min left")
