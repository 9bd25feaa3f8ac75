"""Killed runs beside each other: in the order of their numbers, and none lost when they are stopped."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from kill_runs import forked
from kill_runs.beside import ended_later, in_order, lanes
from kill_runs.forked import Blow, Ended
from kill_runs.trial import Trial

SCRIPTS = Path(__file__).parents[2] / "scripts"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="cores are set on Linux")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "kept").write_text("warm")
    return tmp_path / "cache"


def wait_for(file: Path) -> None:
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end, f"no {file}"
        time.sleep(0.01)


@LINUX
def test_trials_run_at_once_and_are_told_in_order(tmp_path: Path, cache: Path) -> None:
    ended = tmp_path / "ended"

    def run(number: int) -> Trial:
        # The first comes to its end only beside the second.
        if number == 5:
            wait_for(ended / "6.json")
        return Trial(f"process {number}", number % 2 == 0, "")

    found = list(in_order(run, range(5, 9), lanes(2), ended, cache))
    assert found == [(number, Trial(f"process {number}", number % 2 == 0, "")) for number in (5, 6, 7, 8)]


@LINUX
def test_each_job_has_cores_and_a_cache_of_its_own(tmp_path: Path, cache: Path) -> None:
    (core, *_) = os.sched_getaffinity(0)

    def run(number: int) -> Trial:
        if number == 0:
            wait_for(tmp_path / "ended" / "1.json")
        place = Path(os.environ["CURATE_CACHE"])
        assert (place / "kept").read_text() == "warm"
        return Trial(f"{place.name} {sorted(os.sched_getaffinity(0))}", True, "")

    before = os.sched_getaffinity(0)
    told = [trial.blow for _, trial in in_order(run, range(2), [[core], [core]], tmp_path / "ended", cache)]
    assert sorted(told) == [f"cache-0 [{core}]", f"cache-1 [{core}]"]
    assert os.sched_getaffinity(0) == before


def test_the_cores_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    assert lanes(8) == [[2 * lane, 2 * lane + 1] for lane in range(8)]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5}, raising=False)
    assert lanes(1) == [[3, 5]]
    assert lanes(3) == [[3], [5], [3]]


@LINUX
def test_a_trial_that_breaks_is_told(tmp_path: Path, cache: Path) -> None:
    def run(number: int) -> Trial:
        raise ValueError(number)

    with pytest.raises(RuntimeError, match="trial 0"):
        list(in_order(run, range(2), lanes(1), tmp_path / "ended", cache))


STOPPED = """
import sys, time
from pathlib import Path
sys.path.append(sys.argv[1])
from kill_runs.beside import in_order, lanes
from kill_runs.trial import Trial
folder, slow = Path(sys.argv[2]), sys.argv[3] == "slow"

def run(number):
    with (folder / "began").open("a") as log:
        log.write(f"{number}\\n")
    if slow and number == 0:
        time.sleep(60)
    return Trial(f"process {number}", True, "")

(core, *_) = lanes(1)
for number, trial in in_order(run, range(4), [core, core], folder / "ended", folder / "cache"):
    print(number, trial.blow, flush=True)
"""


@LINUX
@pytest.mark.parametrize("group", [True, False])
def test_nothing_that_ended_is_run_again_after_an_interrupt(tmp_path: Path, cache: Path, group: bool) -> None:
    def start(how: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", STOPPED, str(SCRIPTS), str(tmp_path), how]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)

    with start("slow") as first:
        wait_for(tmp_path / "ended" / "3.json")
        if group:
            os.killpg(first.pid, signal.SIGINT)
        else:
            # Nothing is left to be told, and no trial outlives it.
            first.kill()
        assert first.communicate(timeout=30)[0] == ""
    assert ended_later(tmp_path / "ended", range(4), 0) == [1, 2, 3]
    with start("quick") as second:
        assert second.communicate(timeout=60)[0] == "".join(f"{n} process {n}\n" for n in range(4))
    assert sorted((tmp_path / "began").read_text().split()) == ["0", "0", "1", "2", "3"]


def test_any_child_can_be_the_victim(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Ended(0, 10.0, 100, "")
    blows = [Blow.drawn(random.Random(number), whole) for number in range(200)]
    children = [blow for blow in blows if blow.victim == "child"]
    assert 20 < len(children) < 60
    killed: list[int] = []

    class Process:
        def __init__(self, pid: int) -> None:
            self.pid = pid

        def children(self, recursive: bool) -> list[Any]:
            return [Process(12), Process(10), Process(11)]

        def kill(self) -> None:
            killed.append(self.pid)

    monkeypatch.setattr("psutil.Process", Process)
    assert all(forked._struck(1, blow) for blow in children)
    assert set(killed) == {10, 11, 12}
    assert forked._struck(1, Blow("child", which=0.0)) and killed[-1] == 10
    assert forked._struck(1, Blow("child", which=0.99)) and killed[-1] == 12


@LINUX
@pytest.mark.full
def test_two_kills_of_a_build_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kill_runs", "--verb", "build", "--times", "2", "--jobs", "2", "--seed", "1"]
    where = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "results.json")]
    path = os.pathsep.join([str(SCRIPTS), str(SCRIPTS.parent / "tests"), str(SCRIPTS.parent)])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    ended = subprocess.run(
        [*command, *where], env=environment, check=False, timeout=1200, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    row = json.loads((tmp_path / "results.json").read_text())["build, tiny"]
    assert sum(row["blows"].values()) == 2 and row["faults"] == []
