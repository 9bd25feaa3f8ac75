"""Run a server and see to its end: ``python -m curator.serve.launch.supervise GRACE COMMAND...``.

The process that asks for a server can be killed at any moment, and a server is several processes, some of which
may start others. So a process of its own stands between: it holds the reading end of a pipe (its standard input)
whose other end dies with the one that asked, adopts whatever the server leaves behind, and leaves only when
nothing below it lives.
"""

from __future__ import annotations

import ctypes
import functools
import os
import select
import signal
import subprocess
import sys
import time

import psutil

from curator.engine.parent import die_with_parent

_PR_SET_CHILD_SUBREAPER = 36
_LOOK_SECONDS = 0.2
# A process that cannot be killed in this time waits for a device: nobody can do more.
_KILL_SECONDS = 30.0


def main(arguments: list[str]) -> int:
    """Run a command until it ends or is not wanted any more.

    Args:
        arguments: seconds between asking the command to end and killing it, and the command.

    Returns:
        Its exit code, 128 + N when signal N ended it.
    """
    parent = os.getppid()
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stop.append(number))
    for number in (signal.SIGINT, signal.SIGHUP):
        # The process that asked decides. Caught, not ignored: the server would inherit that.
        signal.signal(number, lambda _number, _frame: None)
    _adopt()
    # Should this process be killed itself, the server goes with it.
    bound = functools.partial(die_with_parent, os.getpid())
    child = subprocess.Popen(arguments[1:], stdin=subprocess.DEVNULL, preexec_fn=bound)
    try:
        while child.poll() is None and not stop and not _alone(parent):
            pass
        _end(child, float(arguments[0]))
    finally:
        _kill_all()
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _adopt() -> None:
    """Become the parent of every process below that loses its own."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _alone(parent: int) -> bool:
    """Whether the process that asked has closed the pipe or ended; takes a moment."""
    ready, _, _ = select.select([sys.stdin], [], [], _LOOK_SECONDS)
    # A child that it forked may hold the pipe open after its end: hence the second question.
    return bool(ready and not os.read(sys.stdin.fileno(), 1)) or os.getppid() != parent


def _end(child: subprocess.Popen[bytes], grace: float) -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _kill_all() -> None:
    """Kill what is left below, again and again: a dying process may have started another."""
    deadline = time.monotonic() + _KILL_SECONDS
    while (left := psutil.Process().children(recursive=True)) and time.monotonic() < deadline:
        for process in left:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(left, timeout=1.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
