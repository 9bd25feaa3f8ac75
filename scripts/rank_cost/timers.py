"""Clocks around what is not Curate's own work."""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Callable
from typing import Any


class Timers:
    """Seconds by what they went into; a clock inside another one stands still."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._open = False

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed."""

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            if self._open:
                return function(*given, **named)
            self._open, started = True, time.monotonic()
            try:
                return function(*given, **named)
            finally:
                self.seconds[name] += time.monotonic() - started
                self._open = False

        return timed

    def document(self, wall: float) -> dict[str, Any]:
        """Seconds, and the share of the wall time that nothing of these took."""
        own = wall - self.seconds.total()
        return {
            "wall_s": round(wall, 1),
            **{f"{name}_s": round(seconds, 1) for name, seconds in sorted(self.seconds.items())},
            "own_s": round(own, 1),
            "own_share": round(own / wall, 4),
        }
