"""Trials beside each other, each in a fork of this process with cores and a cache of its own.

They are told in their order. What came of each is a file at once: stopped anywhere, the next call in the same
folder repeats none that had ended.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from curator._files import read_json, write_json
from curator.engine.parent import die_with_parent
from kill_runs.trial import Trial

CACHE = "CURATE_CACHE"


def lanes(jobs: int) -> list[list[int]]:
    """The cores of each of so many jobs: equal parts of those that there are, shared where they are few."""
    cores = sorted(os.sched_getaffinity(0))
    each = max(len(cores) // jobs, 1)
    return [[cores[(lane * each + one) % len(cores)] for one in range(each)] for lane in range(jobs)]


def in_order(
    run: Callable[[int], Trial], numbers: Sequence[int], cores: Sequence[Sequence[int]], folder: Path, cache: Path
) -> Iterator[tuple[int, Trial]]:
    """Run trials, as many at once as there are sets of cores.

    Args:
        run: one trial, by its number.
        numbers: of the trials.
        cores: those of each job.
        folder: takes what came of each, ``NUMBER.json``, and a cache for each job.
        cache: what each job's cache begins as.

    Yields:
        Each number with its trial, in the order of the numbers.

    Raises:
        RuntimeError: a trial came to no end of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    caches = [folder / f"cache-{lane}" for lane in range(len(cores))]
    for own in caches:
        if not own.is_dir():
            shutil.copytree(cache, own)
    waiting = [number for number in reversed(numbers) if not _file(folder, number).is_file()]
    free, running = list(range(len(cores))), dict[int, tuple[int, int]]()
    try:
        for number in numbers:
            while not _file(folder, number).is_file():
                while free and waiting:
                    lane = free.pop()
                    process = _start(run, waiting[-1], cores[lane], caches[lane], folder)
                    running[process] = (waiting.pop(), lane)
                ended, status = os.waitpid(-1, 0)
                one, lane = running.pop(ended)
                free.append(lane)
                if status:
                    raise RuntimeError(f"trial {one}: ended by itself, {os.waitstatus_to_exitcode(status)}")
            yield number, Trial(**read_json(_file(folder, number)))
    finally:
        # On Ctrl-C each has it too, and ends what it runs.
        for process in running:
            os.waitpid(process, 0)


def ended_later(folder: Path, numbers: Sequence[int], told: int) -> list[int]:
    """The trials behind the first ``told`` that have ended too."""
    return [number for number in numbers[told:] if _file(folder, number).is_file()]


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number}.json"


def _start(run: Callable[[int], Trial], number: int, cores: Sequence[int], cache: Path, folder: Path) -> int:
    parent = os.getpid()
    process = os.fork()
    if not process:
        die_with_parent(parent)
        _be(run, number, cores, cache, folder)
    return process


def _be(run: Callable[[int], Trial], number: int, cores: Sequence[int], cache: Path, folder: Path) -> NoReturn:
    code = 1
    try:
        os.sched_setaffinity(0, cores)
        os.environ[CACHE] = str(cache)
        write_json(_file(folder, number), dataclasses.asdict(run(number)))
        code = 0
    except KeyboardInterrupt:
        code = 130
    finally:
        if code == 1:
            traceback.print_exc()
        # Not our end: that of the program that forked is another's business.
        os._exit(code)
