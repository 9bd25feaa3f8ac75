"""Clocks around functions: each second belongs to the innermost of them that runs."""

from __future__ import annotations

import functools
import importlib
import os
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

CLOCK = "CURATE_BENCH_CLOCK"
"""Variable that is ``processor`` where processor seconds are counted, which other work lengthens less."""


def now() -> float:
    """Seconds, of which only differences mean anything."""
    return time.process_time() if os.environ.get(CLOCK) == "processor" else time.monotonic()


class Clocks:
    """Seconds of this process by what they went into."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed: a clock outside of it stands still meanwhile."""

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            self._tick()
            self._running.append(name)
            try:
                return function(*given, **named)
            finally:
                self._tick()
                self._running.pop()

        return timed

    def put_around(self, name: str, *places: str) -> None:
        """Time functions where they are: ``module:attribute`` or ``module:Class.attribute``."""
        for place in places:
            module, _, path = place.partition(":")
            holder: Any = importlib.import_module(module)
            *outer, leaf = path.split(".")
            for step in outer:
                holder = getattr(holder, step)
            setattr(holder, leaf, self.around(name, getattr(holder, leaf)))

    def _tick(self) -> None:
        here = now()
        if self._running:
            self.seconds[self._running[-1]] += here - self._since
        self._since = here
