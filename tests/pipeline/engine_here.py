"""An engine of one process: what a cluster does, in the order in which it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic

import numpy as np

from curator.engine.interface import KEY, ONE_CORE, Columns, Extra, Kept, Need, Part, Result, Task, join


class EngineHere:
    """Runs all here. It shows what an algorithm does when it is spread, without a cluster.

    Args:
        groups: how many parts a shuffle has.
    """

    workers = 1

    def __init__(self, groups: int = 3) -> None:
        self._groups = groups

    def map_in_order(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], need: Need = ONE_CORE
    ) -> Iterator[Result]:
        """See `Engine`."""
        return map(function, tasks)

    def map_by_actors(
        self, make: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """See `Engine`."""
        return map(make(), tasks)

    def keep(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Kept[Result]:
        """See `Engine`."""
        return KeptHere(list(map(function, tasks)), self._groups)

    def same_everywhere(self, function: Callable[[], str], what: str) -> None:
        """See `Engine`. There is one machine."""

    def close(self) -> None:
        """See `Engine`. Nothing is held."""


class KeptHere(Generic[Part]):
    """Parts in this process's memory; see `Kept`."""

    def __init__(self, parts: list[Part], groups: int) -> None:
        self._parts = parts
        self._groups = groups

    def shuffle(self, emit: Callable[[int, Part], Columns], reduce: Callable[[Columns], Result]) -> list[Result]:
        """See `Kept`."""
        rows = join([emit(number, part) for number, part in enumerate(self._parts)])
        groups = rows[KEY] % self._groups
        # Backwards, since no order is promised.
        return [reduce(_rows(rows, np.flatnonzero(groups == group)[::-1])) for group in range(self._groups)]

    def map(
        self, make: Callable[[], Callable[[Part, Extra], Result]], extras: Sequence[Extra]
    ) -> Iterator[Result]:
        """See `Kept`."""
        return map(make(), self._parts, extras)


def _rows(table: Columns, places: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Columns:
    return {name: column[places] for name, column in table.items()}
