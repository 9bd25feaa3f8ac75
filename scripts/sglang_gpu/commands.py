"""`curate` as typed: a command's exit code, time and document, and what it leaves on the GPU."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

_POLL_SECONDS = 0.2
_READY = "fired up"
_CURATE = (sys.executable, "-c", "from curator.cli.main import main; main()")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of curate.

    Attributes:
        name: for the results.
        words: its verb and options, without ``--json``.
        work: folder for its cache (measurements of one candidate under two servers must not meet) and its log.
    """

    name: str
    words: tuple[str, ...]
    work: Path

    def start(self) -> subprocess.Popen[str]:
        """Start it; its standard error goes to a file in ``work``."""
        cache = self.work / "caches" / self.name
        cache.mkdir(parents=True, exist_ok=True)
        with (self.work / f"{self.name}.err").open("w", encoding="utf-8") as stream:
            return subprocess.Popen(
                [*_CURATE, *self.words, "--json"],
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
                env={**os.environ, "CURATE_CACHE": str(cache)},
            )


def run(command: Command, seconds: float) -> dict[str, Any]:
    """Run a command to its end, or ask it to end after ``seconds``.

    Returns:
        ``exit_code``, ``seconds``, and its ``document`` or, as ``fault``, the last line of its standard error.
    """
    started = time.monotonic()
    process = command.start()
    try:
        output = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.terminate()
        output = process.communicate()[0]
    found: dict[str, Any] = {
        "exit_code": process.returncode,
        "seconds": round(time.monotonic() - started, 1),
    }
    try:
        return {**found, "document": json.loads(output)}
    except json.JSONDecodeError:
        said = (command.work / f"{command.name}.err").read_text(encoding="utf-8").strip()
        return {**found, "fault": said.rpartition("\n")[2][-500:]}


def kill_while_serving(command: Command, log: Path, seconds: float) -> dict[str, Any]:
    """Start a command, kill it (SIGKILL) when its server is ready, and see what is left of the server.

    Args:
        command: one with ``--serve`` and ``--server-log``.
        log: that log.
        seconds: the longest wait for the server, and afterwards for its end.

    Returns:
        ``processes``: those below the command when it was killed; ``gone_after_seconds``: until the last of them
        had ended, ``None`` when some had not.
    """
    process = command.start()
    until = time.monotonic() + seconds
    while not (log.is_file() and _READY in log.read_text(encoding="utf-8", errors="replace")):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            return {"fault": "the server was never ready"}
        time.sleep(_POLL_SECONDS)
    below = psutil.Process(process.pid).children(recursive=True)
    on_gpu = [pid for pid in gpu_processes() if pid in {one.pid for one in below}]
    started = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    _, alive = psutil.wait_procs(below, timeout=seconds)
    return {
        "processes": len(below),
        "of_these_on_the_gpu": len(on_gpu),
        "gone_after_seconds": None if alive else round(time.monotonic() - started, 1),
    }


def gpu_processes() -> dict[int, str]:
    """The processes that the driver shows on the GPUs this process may use, with their names."""
    if shutil.which("nvidia-smi") is None:
        return {}
    only = os.environ.get("CUDA_VISIBLE_DEVICES")
    listed = subprocess.run(
        [
            "nvidia-smi",
            *(["-i", only] if only else []),
            "--query-compute-apps=pid,process_name",
            "--format=csv,noheader",
        ],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    parts = [line.split(",", 1) for line in listed.splitlines() if "," in line]
    return {int(pid): name.strip() for pid, name in parts if pid.strip().isdigit()}
