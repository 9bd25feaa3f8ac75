"""Run Python as a child process, with its log in a file and its end guaranteed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from pathlib import Path

from curator._errors import DependencyError


def run_module(module: str, arguments: list[str], log: Path, what: str) -> str:
    """Run ``python -m module arguments`` by this interpreter; see `run_python`."""
    return run_python(Path(sys.executable), ["-m", module, *arguments], log, what)


def run_python(python: Path, arguments: list[str], log: Path, what: str) -> str:
    """Run an interpreter to its end.

    Args:
        python: the interpreter.
        arguments: its command line.
        log: file that takes the child's standard error.
        what: the job in words, for the error message.

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
            env={**os.environ, "PYTHONHASHSEED": "0", "TOKENIZERS_PARALLELISM": "false"},
        )
        try:
            output, _ = child.communicate()
        finally:
            # Also on Ctrl-C: a child left behind would go on writing into a folder we are leaving.
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode != 0:
        raise DependencyError(f"{what} failed ({_reason(child.returncode, log)}); the whole log is {log}")
    return output.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]


def _reason(code: int, log: Path) -> str:
    if code == -9:
        return "killed, most likely out of memory"
    with log.open(encoding="utf-8", errors="replace") as stream:
        tail = [line.strip() for line in deque(stream, 20) if line.strip()]
    return tail[-1][:300] if tail else f"exit code {code}"
