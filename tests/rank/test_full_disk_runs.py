"""A ranking on a disk that fills up: one line each time, and the run that goes on ends as one that had room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_full_disk import OWN, REFUSED, may_mount
from test_killed_runs import ranking


@pytest.mark.full
def test_a_ranking_goes_on_when_there_is_room_again(tmp_path: Path, tiny_model: Path) -> None:
    if not may_mount(tmp_path):
        pytest.skip("may not mount a file system")
    program = Path(__file__).with_name("full_disk_runs.py")
    path = os.pathsep.join([str(program.parent.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    command = [*OWN, sys.executable, str(program), str(tmp_path), str(tiny_model)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=900)
    assert result.returncode == 0, result.stderr[-2000:]
    ends = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    assert (ends.pop("once"), ends.pop("enough"), ends.pop("left")) == ("done", "done", "[]")
    refused = [words for words in ends.values() if words != "done"]
    assert refused[0].startswith("DependencyError: ")
    for words in refused:
        # What can be counted beforehand is.
        beforehand = "free, full-vocabulary logits need up to" in words
        assert words.startswith("DependencyError: ") and (beforehand or words.endswith(REFUSED)), ends
    # In several steps of the run, not always in the first.
    assert len(set(refused)) >= 3, ends
    assert ranking(tmp_path / "kept") == ranking(tmp_path / "once")
