"""Starting the fake server, and seeing what is left of it."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import psutil

from curator.serve.launch.port import HeldPort
from curator.serve.launch.process import ServerProcess

FAKE = Path(__file__).with_name("pretend_server.py")
# A busy machine takes a while to import transformers.
_SECONDS = 240.0


def start(folder: Path, mode: str, told: list[str]) -> ServerProcess:
    port = HeldPort()
    command = [
        sys.executable,
        FAKE,
        "--fake",
        mode,
        "--port",
        str(port.number),
        "--pids",
        str(folder / "pids"),
    ]
    return ServerProcess(command, {"CURATE_API_KEY": "a-secret"}, port, folder / "server.log", told.append)


def fake_python(folder: Path) -> Path:
    """An interpreter that says it has SGLang, and runs the fake instead of it."""
    answer = '{"sglang": "0.5.23", "torch": "2.13.0+cpu", "cuda": ""}'
    python = folder / "fake-python"
    asked = f"if [ \"$1\" = -c ]; then echo '{answer}'; exit; fi"
    python.write_text(f'#!/bin/sh\n{asked}\nshift\nexec {sys.executable} {FAKE} "$@"\n')
    python.chmod(0o755)
    return python


def wait_for(file: Path) -> list[int]:
    """The process ids that the fake wrote."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            found = [int(word) for word in file.read_text().split()]
            if len(found) == 2:
                return found
        time.sleep(0.02)
    raise AssertionError(f"{file} was not written")


def living(pids: list[int]) -> list[int]:
    """Those that still run; waits for the others to end. Nobody may fetch a dead one: then it is a zombie."""
    deadline = time.monotonic() + _SECONDS
    while (left := [pid for pid in pids if _runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
