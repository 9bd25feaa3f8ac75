"""The command ``curate`` in a fork of this process: as the real one, without its minutes of imports.

A fork stands in a session of its own. Killed are it, one of its children, or the whole group; at a moment, or just
before the n-th change that it makes to the file system, which the same seed finds again.
"""

from __future__ import annotations

import importlib
import io
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psutil

from curator.engine.parent import die_with_parent

# What a run imports on its way; before any thread is started, so that a fork is safe.
_IMPORTED = (
    "accelerate",
    "datasets",
    "llmcompressor",
    "pandas",
    "pyarrow.parquet",
    "sentence_transformers",
    "sklearn",
    "torch._dynamo",
    "transformers.models.llama.modeling_llama",
    "curator.cli.main",
    "curator.cli.app",
    "curator.pipeline.build",
    "curator.quantize.run",
    "curator.rank.experiment",
    "curator.report.terminal",
    "curator.serve.in_process",
)
_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_LOOK_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Attributes:
        code: its exit code; minus the signal's number for one that was killed.
        seconds: from its start.
        changes: to the file system, where it came to its own end; else 0.
        err: what it wrote to standard error.
    """

    code: int
    seconds: float
    changes: int
    err: str


@dataclass(frozen=True, slots=True)
class Blow:
    """What is killed, and when.

    Attributes:
        victim: ``process``, ``child`` or ``group``.
        change: before this change to the file system (the process itself); 0 for a moment.
        seconds: after the start, else.
        which: of the children that there are then, from 0 (the oldest) to 1.
    """

    victim: str
    change: int = 0
    seconds: float = 0.0
    which: float = 0.0

    @staticmethod
    def drawn(chance: random.Random, whole: Ended) -> Blow:
        """One that falls anywhere in a run that takes as long as ``whole`` did.

        Args:
            chance: decides.
            whole: a run that nobody killed.
        """
        victim = chance.choice(["change", "change", "process", "child", "group"])
        if victim == "change":
            return Blow("process", change=chance.randint(1, whole.changes))
        return Blow(victim, seconds=chance.uniform(0.0, whole.seconds), which=chance.random())

    def words(self) -> str:
        """For people."""
        when = f"before change {self.change}" if self.change else f"after {self.seconds:.2f} s"
        return f"{self.victim} {when}"


def import_all() -> None:
    """Import once what every run needs."""
    for name in _IMPORTED:
        importlib.import_module(name)


def curate(arguments: Sequence[str], folder: Path, log: Path, blow: Blow | None = None) -> Ended:
    """Run ``curate`` to its end.

    Args:
        arguments: of the command line.
        folder: the current folder of the run.
        log: file for its standard error; its standard output goes beside it.
        blow: what kills it; it may come too late.
    """
    started, parent = time.monotonic(), os.getpid()
    process = os.fork()
    if not process:
        die_with_parent(parent)
        _child(arguments, folder, log, blow)
    status = None
    try:
        while status is None:
            found, code = os.waitpid(process, os.WNOHANG)
            if found:
                status = os.waitstatus_to_exitcode(code)
            elif blow is not None and not blow.change and time.monotonic() - started >= blow.seconds:
                blow = None if _struck(process, blow) else blow
            time.sleep(_LOOK_SECONDS)
        seconds = time.monotonic() - started
    finally:
        # What a dead parent left behind must not write into the folder of the next run.
        _kill_group(process)
    changes = log.with_suffix(".changes")
    number = int(changes.read_text()) if status >= 0 and changes.is_file() else 0
    return Ended(status, seconds, number, log.read_text(errors="replace"))


def _struck(process: int, blow: Blow) -> bool:
    """Kill; whether there was a victim."""
    if blow.victim == "group":
        _kill_group(process)
        return True
    if blow.victim == "process":
        os.kill(process, signal.SIGKILL)
        return True
    try:
        children = psutil.Process(process).children(recursive=True)
    except psutil.Error:
        return True
    if not children:
        return False
    children.sort(key=lambda child: child.pid)
    try:
        children[min(int(blow.which * len(children)), len(children) - 1)].kill()
    except psutil.NoSuchProcess:
        return False
    return True


def _kill_group(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _child(arguments: Sequence[str], folder: Path, log: Path, blow: Blow | None) -> NoReturn:
    code = 99
    try:
        os.setsid()
        for number, file in ((1, log.with_suffix(".out")), (2, log)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8", write_through=True)
            for number in (1, 2)
        )
        os.chdir(folder)
        sys.argv = ["curate", *arguments]
        count = _counted(0 if blow is None else blow.change)
        code = _run()
        changes = count[0]
        log.with_suffix(".changes").write_text(str(changes))
    finally:
        # Not our end: that of the program that forked is another's business.
        os._exit(code)


def _run() -> int:
    from curator.cli.main import main

    try:
        main()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    return 0


def _counted(deadly: int) -> list[int]:
    """Count changes to the file system, and die just before number ``deadly``."""
    count = [0]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CHANGES or (event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING):
            count[0] += 1
            if count[0] == deadly:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return count
