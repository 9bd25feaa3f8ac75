"""Processes of this machine that stay, for functions that take long to make, such as those that load a model."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from curator._errors import DependencyError
from curator.engine.interface import Actors, Result, Task, Workers
from curator.engine.local import usable_cores
from curator.engine.pools import begin, end_at_once

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Loading the libraries takes each process some ten seconds, in which two threads score about so many.
_MANY_TOKENS = 1 << 18
# There wherever NVIDIA's driver is; looked at without loading a library.
_GPU = Path("/dev/nvidiactl")


class LocalActors:
    """Processes that make a function once and keep it, started when they are first needed.

    Args:
        workers: processes; the cores are shared out to them, so that two of them are not in each other's way.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def map_by_actors(
        self, make: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """``make()`` of every task, in the order of the tasks.

        Args:
            make: at the top level of a module, or a partial of such with arguments that can be compared; what
                equals one of an earlier call is not made again.
            tasks: picklable; those that are added to the list meanwhile are done too.

        Raises:
            DependencyError: a process was killed, most likely for its memory.
            Exception: what the function raises, for the first task that raises.
        """
        if not tasks:
            return
        pool = self._started()
        waiting: deque[Future[Result]] = deque()
        try:
            given = 0
            while given < len(tasks) or waiting:
                # Results are large: no more of them wait than keep every process busy.
                while given < len(tasks) and len(waiting) <= 2 * self._workers:
                    waiting.append(pool.submit(_call, make, tasks[given]))
                    given += 1
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            self.close()
            raise DependencyError(
                "a worker process died, most likely out of memory; use fewer --workers"
            ) from error
        finally:
            # The caller has seen enough: what has not begun never will.
            for future in waiting:
                future.cancel()

    def end(self) -> None:
        """End the processes without waiting for what they do."""
        if self._pool is not None:
            end_at_once(self._pool)
        self._pool = None

    def close(self) -> None:
        """End the processes; a later call starts others."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, not forked: a fork of a process with torch's threads may hang.
            self._pool = ProcessPoolExecutor(
                self._workers,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(os.getpid(), max(usable_cores() // self._workers, 1)),
            )
        return self._pool


@contextmanager
def actors_for(workers: Workers, tokens: int) -> Iterator[Actors | None]:
    """Processes that score texts of so many tokens in all, ended with the body.

    Args:
        workers: processes of this machine, or an engine.
        tokens: roughly.

    Yields:
        ``None`` where this process is sooner done: for few tokens, with one worker, or with one GPU for all.
    """
    if not isinstance(workers, int):
        yield workers
        return
    if workers < 2 or tokens < _MANY_TOKENS or _GPU.exists():
        yield None
        return
    actors = LocalActors(workers)
    try:
        yield actors
    # An interrupt too: nobody should wait for texts that nobody will see.
    except BaseException:
        actors.end()
        raise
    finally:
        actors.close()


_made: list[tuple[Any, Callable[[Any], Any]]] = []


def _begin(parent: int, threads: int) -> None:
    begin(parent)
    # Read when the libraries are loaded, which nothing has done yet.
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))


def _call(make: Callable[[], Callable[[Any], Any]], task: Any) -> Any:
    # Two partials of the same are not equal.
    key = (make.func, make.args, make.keywords) if isinstance(make, partial) else make
    function = next((made for known, made in _made if known == key), None)
    if function is None:
        function = make()
        _made.append((key, function))
    return function(task)
