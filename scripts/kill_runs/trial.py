"""One run that is killed and started again, and what must hold afterwards."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from curator._files import STEM
from kill_runs.forked import Blow, Ended, curate
from kill_runs.work import Work, result

# More starts than a run could need: a child that is killed may end it again.
_STARTS = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a killed run.

    Attributes:
        blow: what was killed, in words.
        came: it was killed before its end.
        fault: what was wrong, in words; empty where it ended as one that never was killed.
    """

    blow: str
    came: bool
    fault: str


def unharmed(work: Work, folder: Path) -> tuple[Ended, str]:
    """A run that nobody kills, and its result.

    Raises:
        RuntimeError: it does not even come to its end so.
    """
    ended = curate(work.arguments, _fresh(folder), folder / "log")
    if ended.code:
        raise RuntimeError(f"{work.name} ended with {ended.code}: {ended.err[-2000:]}")
    return ended, result(work, folder)


def killed(work: Work, folder: Path, chance: random.Random, whole: Ended, expected: str) -> Trial:
    """Kill one run, start it again until it ends, and compare.

    Args:
        work: what is run.
        folder: its own, emptied first; removed where nothing was wrong.
        chance: decides where the blow falls.
        whole: a run that nobody killed.
        expected: its result.
    """
    blow = Blow.drawn(chance, whole)
    ended = curate(work.arguments, _fresh(folder), folder / "log", blow)
    came = ended.code != 0
    fault = _fault(ended)
    starts = 1
    while ended.code and not fault and starts < _STARTS:
        ended = curate(work.arguments, folder, folder / "log")
        fault, starts = _fault(ended), starts + 1
    fault = fault or _compared(work, folder, ended, expected)
    if not fault:
        shutil.rmtree(folder)
    return Trial(blow.words(), came, fault)


def _fault(ended: Ended) -> str:
    """A run may die of the blow, or say in one line that a child of it died; nothing else."""
    if "Traceback (most recent call last)" in ended.err:
        return f"a traceback: {ended.err[-2000:]}"
    if ended.code in (0, 4) or ended.code < 0:
        return ""
    return f"exit code {ended.code}: {ended.err[-2000:]}"


def _compared(work: Work, folder: Path, ended: Ended, expected: str) -> str:
    if ended.code:
        return f"came to no end in {_STARTS} starts: {ended.err[-2000:]}"
    if (found := result(work, folder)) != expected:
        return f"another result: {found} instead of {expected}"
    left = [str(path.relative_to(folder)) for path in folder.rglob(f"{STEM}*")]
    return f"left behind: {', '.join(left[:3])}" if left else ""


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
