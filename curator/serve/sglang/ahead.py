"""One step ahead: the server works on the next batch while the last one's answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from multiprocessing.pool import AsyncResult, ThreadPool
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Step = Callable[[Callable[[], None]], T]


def one_ahead(steps: Iterable[Step[T]]) -> Iterator[T]:
    """The steps' results in order; step n + 1 runs while result n is used.

    A step's exception is raised in its turn, after all earlier results. A caller who leaves does not wait for the
    step that runs: the pool's threads are daemons, which those of ``concurrent.futures`` are not, and Ctrl-C must
    not hang until a server answers.

    Args:
        steps: each is started when the one before it has ended, or has called what it is given: it needs the
            server no more. None is started after one that failed without that.
    """
    pool = ThreadPool(2)
    try:
        rest = iter(steps)
        running = _start(pool, rest)
        while running is not None:
            result, signals = running
            if not signals.get():
                # It has ended, perhaps by a fault: that is raised before another step begins.
                result.get()
            running = _start(pool, rest)
            yield result.get()
    finally:
        pool.close()


def _start(pool: ThreadPool, steps: Iterator[Step[T]]) -> tuple[AsyncResult[T], SimpleQueue[bool]] | None:
    """Start the next step: its result, and its signals: true once another may start, false when it has ended."""
    step = next(steps, None)
    if step is None:
        return None
    signals: SimpleQueue[bool] = SimpleQueue()

    def ended(_: object) -> None:
        signals.put(False)

    result = pool.apply_async(step, (lambda: signals.put(True),), callback=ended, error_callback=ended)
    return result, signals
