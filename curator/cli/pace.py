"""How fast a step goes in this run, and when it will be done."""

from __future__ import annotations

from curator._durations import about


class Pace:
    """Units done of a total, over time.

    The rate is that from the first report on. What the first one brings was there before, where a run goes on, or
    took longer because all was cold.

    Args:
        total: units in all; ``None`` when unknown.
    """

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._done = 0
        self._first: tuple[int, float] | None = None
        self._last = 0.0

    def add(self, count: int, now: float) -> None:
        """Note that ``count`` more units are done, at a time in seconds."""
        self._done += count
        if self._first is None:
            self._first = (self._done, now)
        elif count:
            self._last = now

    def share(self) -> float:
        """Of all units, those that are done; 0 when the total is unknown."""
        return min(self._done / self._total, 1.0) if self._total else 0.0

    def left(self, now: float) -> float | None:
        """Seconds to the end by the rate of this run; ``None`` where it tells none.

        Between two reports the time goes down as it passes, to 0 at least.
        """
        if self._first is None or not self._total:
            return None
        units, since = self._done - self._first[0], self._last - self._first[1]
        if units <= 0 or since <= 0:
            return None
        rest = (self._total - self._done) * since / units
        return max(rest - (now - self._last), 0.0)

    def words(self, now: float) -> str:
        """The time left, such as ``about 4 min left``; empty where it is not known."""
        left = self.left(now)
        return "" if left is None or self._done >= (self._total or 0) else f"{about(left)} left"
