"""A ranking by real servers on this machine: killed while one runs, gone on with, and compared with in process."""

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

from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt, save_prompts
from curator.measure.score import score_candidate
from curator.measure.summary import weighted
from curator.serve.in_process import InProcess
from tests.serve.real_server import ENVIRONMENT, REAL

pytestmark = [*REAL, pytest.mark.full]

TEXTS = ("The boat left", "She counted", "def area(", "Paris is")
RECIPE = """\
name: words
size: {samples: 4, tokens: 64}
target: {tasks: {random-words: 1}}
sources: [{generate: random-words}]
continuity: {min: false}
"""


def of(folder: Path) -> list[int]:
    """Processes with the folder in their command line: the server, its supervisor and what they started."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline"]):
        if any(str(folder) in word for word in process.info["cmdline"] or ()):
            below = process.children(recursive=True) if process.is_running() else []
            found += [process.pid, *(child.pid for child in below)]
    return found


def test_a_ranking_by_servers_survives_a_kill_and_agrees_with_in_process(tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "words.yaml").write_text(RECIPE)
    save_prompts(
        tmp_path / "h.jsonl",
        [Prompt(f"p{i}", "ab"[i % 2], "c", "u", "en", "MIT", text) for i, text in enumerate(TEXTS)],
    )
    run, log = tmp_path / "run", tmp_path / "first.log"
    command = [str(Path(sys.executable).with_name("curate")), "rank", "words.yaml", "--model", str(tiny_model)]
    command += [
        "--heldout",
        "h.jsonl",
        "--tokens",
        "6",
        "--batch-size",
        "2",
        "--null",
        "no-data",
        "--out",
        str(run),
    ]
    command += ["--serve", "sglang", "--scheme", "W4A16", "--keep-checkpoints", "--json"]
    command += ["--server-args", "--max-total-tokens 2048 --max-running-requests 8"]
    environment = {**os.environ, "CURATE_SGLANG_ENV": str(ENVIRONMENT)}
    with log.open("w") as stream:
        first = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=stream, stderr=stream)
    # While a candidate's twin is being loaded.
    deadline = time.monotonic() + 1500
    while log.read_text().count("it has the weights") < 2 and time.monotonic() < deadline:
        assert first.poll() is None, log.read_text()
        time.sleep(0.2)
    pids = of(run)
    assert len(pids) >= 4
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    deadline = time.monotonic() + 60
    while (left := [pid for pid in pids if psutil.pid_exists(pid)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert left == []

    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    # The baseline was there: one server an arm, and one more for the floors.
    assert result.stderr.count("it warms up") == 3
    assert list(run.glob("**/.curate.*")) == [] and of(run) == []
    ranking: dict[str, Any] = json.loads(result.stdout)
    assert ranking["floors"]["restart"]["sd"] < 1e-5
    assert any("weight-only: W4A16 alone" in warning for warning in ranking["warnings"])
    baseline = Baseline(run / "baseline")
    pieces = {json.loads(file.read_text())["set_hash"]: file.parent for file in run.glob("pieces/*/receipt.json")}
    for arm in ranking["arms"]:
        draw = pieces[next((made["set_hash"] for made in arm.get("sets", [])), "")]
        facts = json.loads((draw / "W4A16-batch-2.json").read_text())["server"]
        assert (facts["backend"], facts["weights"], facts["gpu"]) == ("sglang", "dequantised twin", "none")
        here = InProcess(draw / "checkpoint", "W4A16")
        table = score_candidate(baseline, here, 2, lambda _: None)
        assert arm["kl_mean"] == pytest.approx(weighted(table, "kl"), abs=1e-4)
