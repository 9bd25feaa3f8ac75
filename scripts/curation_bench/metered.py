"""A command with what it cost: processor time of all its processes, the clock's, and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_GLANCE_SECONDS = 0.25
_REAPER = Path(__file__).with_name("reaper.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost.

    Attributes:
        cpu: seconds of one core, user and system, of the command and all that it started, waited for or not.
        wall: seconds on the clock.
        memory: the most bytes that its processes had together; a page that n of them share counts 1/n for each
            (proportional set size).
        largest: the most resident bytes of one of them, shared pages and all.
        load: processes that wanted a core, on average over the last minute: more than ours, if others ran.
    """

    cpu: float
    wall: float
    memory: int
    largest: int
    load: float


def metered(
    command: Sequence[str | Path], log: Path, environment: Mapping[str, str], out: Path | None = None
) -> Cost:
    """Run a command to its end.

    Args:
        command: what is run.
        log: gets its standard error, and its output where ``out`` is left out.
        environment: beside this process's.
        out: gets its standard output.

    Raises:
        SystemExit: it failed; names the log.
    """
    report = log.with_name(f"{log.stem}-cost.json")
    with log.open("wb") as errors, (out or Path(os.devnull)).open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, _REAPER, report, *map(str, command)],
            stdout=output if out else errors,
            stderr=errors,
            env={**os.environ, **environment},
        )
        watcher = _Watcher(child.pid)
        watcher.start()
        child.wait()
        watcher.stop()
    if child.returncode:
        raise SystemExit(f"bench_curation: {command[0]} ended with {child.returncode}; see {log}")
    told = json.loads(report.read_text(encoding="utf-8"))
    return Cost(told["cpu"], told["wall"], watcher.most, watcher.largest, os.getloadavg()[0])


class _Watcher(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.most = self.largest = 0
        self._root = psutil.Process(pid)
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(_GLANCE_SECONDS):
            try:
                family = self._root.children(recursive=True)
            except psutil.Error:
                return
            total = 0
            for one in family:
                try:
                    held = one.memory_full_info()
                    total += held.pss
                    self.largest = max(self.largest, held.rss)
                except psutil.Error:
                    # It has just ended.
                    continue
            self.most = max(self.most, total)

    def stop(self) -> None:
        self._ended.set()
        self.join()
