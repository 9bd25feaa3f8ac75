"""A run that is killed with SIGKILL, anywhere, and started again ends as one that never was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# Renames of one process: enough to come further each time, few enough to be killed in every part of the run.
STEPS = 11
TIMES = ("cost", "quantize_seconds", "reproduce", "checksum")


def ranking(folder: Path) -> dict[str, Any]:
    """A run's ranking without its times and places."""
    value: dict[str, Any] = json.loads((folder / "out" / "ranking.json").read_text())
    for name in TIMES:
        value.pop(name, None)
        for arm in value["arms"]:
            arm.pop(name, None)
    return value


def test_a_run_killed_anywhere_ends_as_one_that_never_was(tmp_path: Path, tiny_model: Path) -> None:
    program = Path(__file__).with_name("killed_runs.py")
    command = [sys.executable, str(program), str(tmp_path), str(tiny_model), str(STEPS)]
    path = os.pathsep.join([str(program.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 6
    once, often = ranking(tmp_path / "once"), ranking(tmp_path / "often")
    assert often == once
    assert [arm["draws"] for arm in once["arms"] if arm["name"] == "words"] == [4]
    assert not list((tmp_path / "often" / "out").rglob(".curate.*"))
