"""Several rankings measured by one pool of processes, on one device or spread over all GPUs of a machine."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from curator._errors import CurateError
from curator._lock import folder_lock
from curator._progress import Narrator, Silent
from curator.quantize.machine import find_devices
from curator.rank.arms import Arm
from curator.rank.experiment import run
from curator.rank.plan import Plan, fix_plan
from curator.rank.prepare import frozen_prompts
from data_experiments.pieces import measure_piece, stored_arms, take_stored_baseline, waiting


@dataclass(frozen=True)
class Ranking:
    """One ranking of several.

    Attributes:
        name: for people.
        plan: of it; its sets are built.
        keep: called with the plan once it is ranked, in the process that did it.
    """

    name: str
    plan: Plan
    keep: Callable[[Plan], None]


def measure_together(rankings: Sequence[Ranking], workers: int, narrator: Narrator) -> None:
    """Measure what is missing of all these rankings at once, then rank each.

    Those in one run folder share its baseline, and are ranked there one after another.

    Args:
        rankings: those whose pieces should come first, first.
        workers: processes; each has its part of the cores and, of several GPUs, one.
        narrator: told of each piece that is done.

    Raises:
        CurateError: of the first step that failed; the others were done all the same, and are found again.
    """
    device = {ranking.plan.device for ranking in rankings}
    for one in device:
        find_devices(one)
    # A fresh process each: CUDA does not survive a fork.
    fresh = multiprocessing.get_context("spawn")
    start = (workers, gpus() if device != {"cpu"} else [], fresh.Value("i", 0))
    with ProcessPoolExecutor(workers, mp_context=fresh, initializer=start_worker, initargs=start) as pool:
        _Together(rankings, pool, narrator).measure()


@dataclass
class _Together:
    rankings: Sequence[Ranking]
    pool: ProcessPoolExecutor
    narrator: Narrator
    arms: dict[str, list[Arm]] = field(default_factory=dict)
    locks: dict[Path, ExitStack] = field(default_factory=dict)
    left: Counter[Path] = field(default_factory=Counter)
    failed: list[CurateError] = field(default_factory=list)
    running: dict[Future[None], tuple[str, Callable[[], None]]] = field(default_factory=dict)

    def measure(self) -> None:
        """Do all steps; what a step makes possible begins when it ends."""
        folders: dict[Path, list[Ranking]] = defaultdict(list)
        for ranking in self.rankings:
            folders[ranking.plan.out].append(ranking)
        with ExitStack() as all_locks:
            for folder, own in folders.items():
                self.locks[folder] = all_locks.enter_context(ExitStack())
                self.locks[folder].enter_context(folder_lock(folder))
                fix_plan(own[0].plan)
                frozen_prompts(own[0].plan, Silent())
                # Taken while the sets are read.
                then = partial(self.pieces, own)
                self.begin(f"baseline of {folder}", then, take_stored_baseline, own[0].plan)
                for ranking in own:
                    self.arms[ranking.name] = stored_arms(ranking.plan, Silent())
            while self.running:
                for done in wait(self.running, return_when=FIRST_COMPLETED).done:
                    self.end(done)
        if self.failed:
            raise self.failed[0]

    def begin(self, label: str, then: Callable[[], None], step: Callable[..., None], *given: Any) -> None:
        """Give a step to the pool."""
        self.running[self.pool.submit(step, *given)] = label, then

    def end(self, done: Future[None]) -> None:
        """Tell of a step, and go on to what waited for it."""
        label, then = self.running.pop(done)
        try:
            done.result()
        except CurateError as error:
            self.failed.append(error)
            self.narrator.say(f"{label}: {error}")
            return
        self.narrator.say(f"{label}: done, {len(self.running)} left or waiting")
        then()

    def pieces(self, own: list[Ranking]) -> None:
        """Begin the pieces of a run folder, whose baseline is there."""
        found = {}
        for ranking in own:
            for piece in waiting(ranking.plan, self.arms[ranking.name]):
                before = found.get(piece.draw.folder)
                # Of a set that two rankings have, one measures its floors.
                if before is None or (piece.floors and not before[1].floors):
                    found[piece.draw.folder] = ranking.name, piece
        folder = own[0].plan.out
        self.left[folder] = len(found)
        for name, piece in sorted(found.values(), key=lambda pair: not pair[1].floors):
            self.begin(f"{name}: {piece.label}", partial(self.count, own), measure_piece, piece)
        if not found:
            self.rank(own)

    def count(self, own: list[Ranking]) -> None:
        """One piece fewer; the last one lets its folder's rankings begin."""
        folder = own[0].plan.out
        self.left[folder] -= 1
        if not self.left[folder]:
            self.rank(own)

    def rank(self, own: list[Ranking]) -> None:
        """Rank in a process that takes the folder's lock itself."""
        self.locks[own[0].plan.out].close()
        self.begin(f"ranked {', '.join(ranking.name for ranking in own)}", lambda: None, rank_in_turn, own)


def rank_in_turn(rankings: Sequence[Ranking]) -> None:
    """Rank what is measured, one after another; run by a pool of processes."""
    for ranking in rankings:
        run(ranking.plan, Silent())
        ranking.keep(ranking.plan)


def gpus() -> list[str]:
    """The GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them."""
    import torch

    visible = [part for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if part]
    return visible or [str(number) for number in range(torch.cuda.device_count())]


def start_worker(workers: int, visible: Sequence[str], started: Synchronized[int]) -> None:
    """Give a new process of a pool its part of the cores, and in turn one of the GPUs."""
    with started.get_lock():
        number = started.value
        started.value += 1
    if visible:
        # Before anything asks for CUDA in this process; the quantiser, a process of its own, takes it from here.
        os.environ["CUDA_VISIBLE_DEVICES"] = visible[number % len(visible)]
    cores = max(1, (os.cpu_count() or 1) // workers)
    os.environ["OMP_NUM_THREADS"] = str(cores)
    import torch

    torch.set_num_threads(cores)
