"""A ranking whose sets are quantised and measured on Ray: that of one machine, whatever dies meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from fake_runs import heldout, loaded
from test_killed_runs import ranking

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.filterwarnings("ignore")]


def started(folder: Path, model: Path, *options: str) -> subprocess.Popen[str]:
    """`curate rank` of two recipes with the real quantiser on a random model of two layers, in ``folder/out``."""
    recipes = [str(loaded(folder, "words", task="random-words").path), str(loaded(folder, "others").path)]
    prompts = ["--heldout", str(heldout(folder)), "--tokens", "4", "--batch-size", "2", "--null", "no-data"]
    program = [sys.executable, "-c", "from curator.cli.main import main; main()", "rank", *recipes]
    where = ["--model", str(model), "--out", str(folder / "out")]
    return subprocess.Popen(
        [*program, *where, *prompts, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def finished(run: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = run.communicate(timeout=900)
    assert run.returncode == 0, err
    return out, err


def without_engine(folder: Path) -> dict[str, Any]:
    """A ranking without its times and the command."""
    return {name: value for name, value in ranking(folder).items() if name != "command"}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """The run without an engine."""
    folder = tmp_path_factory.mktemp("local")
    finished(started(folder, tiny_model))
    return folder


def test_a_ranking_on_ray_is_that_of_one_machine(tmp_path: Path, tiny_model: Path, local: Path) -> None:
    _, told = finished(started(tmp_path, tiny_model, "--engine", "ray"))
    assert without_engine(tmp_path) == without_engine(local)
    assert "quantise and measure 3 sets on the cluster: done" in told
    assert "ray::" not in told and "raylet" not in told and "Warning" not in told
    # Steps and their pieces are those of the other run, though other processes wrote them.
    steps = [json.loads((folder / "out" / "ledger.json").read_text())["steps"] for folder in (tmp_path, local)]
    ray, alone = (sorted(sorted({line["step"], line["of"]}) for line in one) for one in steps)
    assert ray == alone
    assert not list((tmp_path / "out" / "pieces").rglob("ledger.json"))


def test_a_worker_killed_while_it_quantises_changes_nothing(tmp_path: Path, tiny_model: Path, local: Path) -> None:
    run = started(tmp_path, tiny_model, "--engine", "ray")
    _kill_a_worker(run)
    finished(run)
    assert without_engine(tmp_path) == without_engine(local)


def _kill_a_worker(run: subprocess.Popen[str]) -> None:
    """Kill the process of Ray's that quantises, while it does."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and run.poll() is None:
        for child in psutil.process_iter(["cmdline"]):
            words = " ".join(child.info["cmdline"] or [])
            if "curator.quantize.worker" in words and _is_below(child, run.pid):
                os.kill(child.ppid(), signal.SIGKILL)
                return
        time.sleep(0.1)
    raise AssertionError("nothing was quantised")


def _is_below(process: psutil.Process, parent: int) -> bool:
    """Whether it is a worker of the cluster that this run started."""
    try:
        return any(one.pid == parent for one in process.parents())
    except psutil.Error:
        return False
