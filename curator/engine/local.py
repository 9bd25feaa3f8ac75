"""Work spread over the cores of this machine, with results in the order of the tasks."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from curator._errors import DependencyError
from curator.engine.interface import Result, Task, Workers
from curator.engine.memory import hold_to, worker_ceiling
from curator.engine.parent import die_with_parent


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_order(function: Callable[[Task], Result], tasks: Sequence[Task], workers: Workers) -> Iterator[Result]:
    """``function`` of every task, in the order of the tasks, whatever the number of workers.

    Args:
        function: a function at the top level of a module, so that it can be pickled.
        tasks: picklable.
        workers: processes; with one, or one task, all is done in this process. Or an engine, which does it all.

    Raises:
        DependencyError: a worker was killed, most likely for its memory, or wanted more than its part of it.
        Exception: what ``function`` raises, for the first task that raises.
    """
    if not isinstance(workers, int):
        yield from workers.map_in_order(function, tasks)
        return
    workers = min(workers, len(tasks))
    if workers <= 1:
        yield from map(function, tasks)
        return
    # Spawned, not forked: a fork of a process with torch's threads may hang.
    context, ceiling = multiprocessing.get_context("spawn"), worker_ceiling(workers)
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(os.getpid(), ceiling))
    try:
        waiting: deque[Future[Result]] = deque()
        for task in tasks:
            waiting.append(pool.submit(function, task))
            # Results are large: no more of them wait than keep every worker busy.
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise DependencyError("a worker process died, most likely out of memory; use fewer --workers") from error
    except MemoryError as error:
        raise DependencyError(
            f"a worker wanted more than its part of the memory, {ceiling / 2**30:.1f} GiB; use fewer --workers, "
            "or cut what is one huge row"
        ) from error
    finally:
        # Also on Ctrl-C, and when the caller has seen enough: what has not begun never will.
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, ceiling: int) -> None:
    die_with_parent(parent)
    hold_to(ceiling)
