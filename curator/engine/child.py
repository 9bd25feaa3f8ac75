"""Run Python as a child process, with its log in a file and its end guaranteed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

from curator._errors import DependencyError
from curator.engine.forks import SAME_EVERY_TIME, kept_for

_GLANCE_SECONDS = 0.5


def _nothing() -> None:
    """Nobody looks."""


def run_module(
    module: str, arguments: list[str], log: Path, what: str, look: Callable[[], None] = _nothing
) -> str:
    """Run ``python -m module arguments`` by this interpreter; see `run_python`. Or in a fork, see `forks.kept`."""
    server = kept_for(module)
    if server is None:
        return run_python(Path(sys.executable), ["-m", module, *arguments], log, what, look)
    code, answer = server.run(arguments, log, look)
    if code != 0:
        raise _failed(what, code, log)
    return answer


def run_python(
    python: Path, arguments: list[str], log: Path, what: str, look: Callable[[], None] = _nothing
) -> str:
    """Run an interpreter to its end.

    Args:
        python: the interpreter.
        arguments: its command line.
        log: file that takes the child's standard error.
        what: the job in words, for the error message.
        look: called twice a second while it runs, to see how far it is.

    Returns:
        The last line of the child's standard output.

    Raises:
        DependencyError: the child failed; names its last log line and the log.
    """
    with log.open("wb") as stream:
        child = subprocess.Popen(
            [python, *arguments],
            stdout=subprocess.PIPE,
            stderr=stream,
            env={**os.environ, **SAME_EVERY_TIME},
        )
        try:
            output = _output(child, look)
        finally:
            # Also on Ctrl-C: a child left behind would go on writing into a folder we are leaving.
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode != 0:
        raise _failed(what, child.returncode, log)
    return output.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]


def _output(child: subprocess.Popen[bytes], look: Callable[[], None]) -> bytes:
    """All that a child prints until it ends."""
    while True:
        try:
            return child.communicate(timeout=_GLANCE_SECONDS)[0]
        except subprocess.TimeoutExpired:
            # Nothing that it printed is lost: it is given when it has ended.
            look()


def _failed(what: str, code: int, log: Path) -> DependencyError:
    return DependencyError(f"{what} failed ({_reason(code, log)}); the whole log is {log}")


def _reason(code: int, log: Path) -> str:
    if code == -9:
        return "killed, most likely out of memory"
    if code < 0:
        # What its log ends with is about something else.
        return f"ended by {signal.Signals(-code).name}" if -code in signal.valid_signals() else f"signal {-code}"
    try:
        with log.open(encoding="utf-8", errors="replace") as stream:
            tail = [line.strip() for line in deque(stream, 20) if line.strip()]
    except OSError as error:
        return f"exit code {code}, and no log: {error.strerror}"
    return tail[-1][:300] if tail else f"exit code {code}"
