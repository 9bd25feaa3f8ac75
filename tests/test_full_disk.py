"""A disk that is really full: one line and no half file, and nothing that was there is lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OWN = ["unshare", "--user", "--map-root-user", "--mount"]


def may_mount(folder: Path) -> bool:
    """Whether this user may mount a file system in a name space of its own."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
    return bool(shutil.which("unshare")) and not subprocess.run([*OWN, *mount], capture_output=True).returncode


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the program said, by its case."""
    folder = tmp_path_factory.mktemp("full")
    if not may_mount(folder):
        pytest.skip("may not mount a file system")
    program = Path(__file__).with_name("full_disk.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [*OWN, sys.executable, str(program), str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    # A write through a map past the end of the disk would be -7, SIGBUS.
    assert result.returncode == 0, result.stderr[-2000:]
    return dict(line.split(" ", 1) for line in result.stdout.splitlines())


REFUSED = "cannot be written (No space left on device); free space or choose another folder"


@pytest.mark.parametrize(
    ("case", "file"),
    [
        ("logits", "full-1.npy"),
        ("tensors", "checkpoint"),
        ("rows", "samples.jsonl"),
        ("arrays", "baseline"),
        ("whole", "kept.json"),
    ],
)
def test_a_full_disk_is_one_line_and_nothing_half_written(told: dict[str, str], case: str, file: str) -> None:
    # safetensors gives its own words of the same.
    found = told[case].replace("Error while serializing: I/O error: ", "").replace(" (os error 28)", "")
    assert found == f"[] DependencyError: DISK/{file}: {REFUSED}"


def test_scores_are_made_without_being_kept(told: dict[str, str]) -> None:
    assert told["store"] == "[] done"
    # Once, however many could not be kept. SQLite says the one or the other, by the write that finds no room.
    assert told["told"].count("scores are not kept (") == 1
    assert re.search(r"scores are not kept \((database or disk is full|disk I/O error)\)", told["told"])


def test_what_was_there_stays(told: dict[str, str]) -> None:
    assert told["kept"] == repr('{\n  "old": 1\n}\n')


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            "read_only",
            "DISK/new.json: cannot be written (Read-only file system); free space or choose another folder",
        ),
        ("locked", "DISK/run: cannot be used (Read-only file system); choose another folder"),
        ("built", "DISK/set: cannot be used (Read-only file system); choose another folder"),
    ],
)
def test_a_folder_that_may_only_be_read_is_one_line(told: dict[str, str], case: str, words: str) -> None:
    assert told[case] == f"[] DependencyError: {words}"
