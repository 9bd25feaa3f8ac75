"""What a command costs: its processor time, and the most memory that it and its children hold at once."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Seconds between two looks; a peak lasts far longer.
_EVERY = 0.1


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one run.

    Attributes:
        processor: seconds of all cores, children included.
        wall: seconds; says little on a machine with other work.
        memory: peak bytes, of shared pages a process's part (PSS).
    """

    processor: float
    wall: float
    memory: int


def cost_of(command: list[str], log: Path) -> Cost:
    """Run a command to its end, on one thread.

    Raises:
        subprocess.CalledProcessError: it failed; its output is in ``log``.
    """
    peak, started = 0, time.monotonic()
    # Of one thread processor time is work; threads that wait for a core that others hold count their waiting.
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    with log.open("wb") as stream:
        child = subprocess.Popen(command, stdout=stream, stderr=stream, env=alone)
        while True:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            peak = max(peak, _held(child.pid))
            time.sleep(_EVERY)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, peak)


def _held(pid: int) -> int:
    total = 0
    try:
        own = psutil.Process(pid)
        processes = [own, *own.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for process in processes:
        try:
            total += process.memory_full_info().pss
        # It ended between two looks.
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total
