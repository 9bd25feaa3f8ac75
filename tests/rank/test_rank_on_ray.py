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


def test_a_ranking_on_ray_is_that_of_one_machine(tmp_path: Path, tiny_model: Path) -> None:
    folders = [tmp_path / name for name in ("local", "ray", "killed")]
    for folder in folders:
        folder.mkdir()
    local, ray, killed = folders
    finished(started(local, tiny_model))
    _, told = finished(started(ray, tiny_model, "--engine", "ray"))
    assert without_engine(ray) == without_engine(local)
    assert "quantise and measure 3 sets on the cluster: done" in told
    assert "ray::" not in told and "raylet" not in told
    # Steps and their pieces are those of the other run, though other processes wrote them.
    steps = [{line["step"], line["of"]} for line in json.loads((ray / "out" / "ledger.json").read_text())["steps"]]
    others = json.loads((local / "out" / "ledger.json").read_text())["steps"]
    assert sorted(map(sorted, steps)) == sorted(sorted({line["step"], line["of"]}) for line in others)
    assert not list((ray / "out" / "pieces").rglob("ledger.json"))
    run = started(killed, tiny_model, "--engine", "ray")
    _kill_a_worker(run, killed / "out")
    finished(run)
    assert without_engine(killed) == without_engine(local)


def _kill_a_worker(run: subprocess.Popen[str], out: Path) -> None:
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
