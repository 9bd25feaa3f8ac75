"""One function in a process of its own, while this one does something else."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from curator.engine.interface import Workers
from curator.engine.local import usable_cores
from curator.engine.pools import begin, end_at_once

Found = TypeVar("Found")


@contextmanager
def aside(function: Callable[[], Found], workers: Workers) -> Iterator[Callable[[], Found]]:
    """Begin with a function, and say what it found when that is asked for.

    Args:
        function: at the top level of a module; what it returns can be pickled.
        workers: those of the command: with one, or one core, the function runs here when it is asked for.

    Yields:
        A function that waits for what was found; it raises what ``function`` raises.
    """
    if workers == 1 or usable_cores() < 2:
        yield cache(function)
        return
    # Spawned, not forked: a fork of a process with torch's threads may hang.
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=begin, initargs=(os.getpid(),))
    future = pool.submit(function)

    def found() -> Found:
        try:
            return future.result()
        except BrokenProcessPool:
            # Killed for its memory, most likely: this process may have more.
            return function()

    try:
        yield found
    finally:
        end_at_once(pool)
