"""One step ahead: the server works on the next batch while the last one's answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from multiprocessing.pool import ThreadPool
from typing import TypeVar

T = TypeVar("T")


def one_ahead(steps: Iterable[Callable[[], T]]) -> Iterator[T]:
    """The steps' results in order; step n + 1 runs while result n is used, never two steps at once.

    A step's exception is raised in its turn, after all earlier results. A caller who leaves does not wait for the
    step that runs: the pool's threads are daemons, which those of ``concurrent.futures`` are not, and Ctrl-C must
    not hang until a server answers.

    Args:
        steps: each is started when the one before it has ended; none after one that failed.
    """
    pool = ThreadPool(1)
    try:
        rest = iter(steps)
        step = next(rest, None)
        running = None if step is None else pool.apply_async(step)
        while running is not None:
            result = running.get()
            step = next(rest, None)
            running = None if step is None else pool.apply_async(step)
            yield result
    finally:
        pool.close()
