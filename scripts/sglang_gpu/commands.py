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
_SETTLED_SECONDS = 1.0
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
        """Start it in a session of its own; its standard error goes to a file in ``work``."""
        cache = self.work / "caches" / self.name
        cache.mkdir(parents=True, exist_ok=True)
        with (self.work / f"{self.name}.err").open("w", encoding="utf-8") as stream:
            return subprocess.Popen(
                [*_CURATE, *self.words, "--json"],
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
                env={**os.environ, "CURATE_CACHE": str(cache)},
                start_new_session=True,
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
        return {**found, "fault": _last_line(command)}


def end_while_serving(
    command: Command, log: Path, seconds: float, how: signal.Signals = signal.SIGKILL
) -> dict[str, Any]:
    """Start a command, send it a signal when its server is ready, and see what is left of the server.

    Args:
        command: one with ``--serve`` and ``--server-log``.
        log: that log.
        seconds: the longest wait for the server, and afterwards for its end.
        how: the signal; ``SIGINT`` goes to the whole process group, as Ctrl-C in a terminal does.

    Returns:
        ``signal``; ``exit_code`` of the command; ``processes``: those below it when it was sent;
        ``gone_after_seconds``: until the last of them had ended, ``None`` when some had not;
        ``left_on_the_gpu`` of them; ``said``, the last line of its standard error.
    """
    process = command.start()
    until = time.monotonic() + seconds
    while not (log.is_file() and _READY in log.read_text(encoding="utf-8", errors="replace")):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            return {"fault": "the server was never ready"}
        time.sleep(_POLL_SECONDS)
    below = psutil.Process(process.pid).children(recursive=True)
    own = {one.pid for one in below}
    on_gpu = own & set(gpu_processes())
    started = time.monotonic()
    if how == signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        os.kill(process.pid, how)
    process.communicate()
    _, alive = psutil.wait_procs(below, timeout=seconds)
    gone = None if alive else round(time.monotonic() - started, 1)
    # The driver shows a process for a moment after it has ended.
    time.sleep(_SETTLED_SECONDS)
    return {
        "signal": how.name,
        "exit_code": process.returncode,
        "processes": len(below),
        "of_these_on_the_gpu": len(on_gpu),
        "gone_after_seconds": gone,
        "left_on_the_gpu": len(own & set(gpu_processes())),
        "said": _last_line(command),
    }


def _last_line(command: Command) -> str:
    said = (command.work / f"{command.name}.err").read_text(encoding="utf-8").strip()
    return said.rpartition("\n")[2][-500:]


def gpu_processes() -> dict[int, str]:
    """The processes that the driver shows on the GPUs this process may use, with their programs' names."""
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
    return {int(pid): Path(name.strip()).name for pid, name in parts if pid.strip().isdigit()}
