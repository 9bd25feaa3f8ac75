"""What does the work: a number of processes of this machine, or an engine that has many machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Task = TypeVar("Task")
Result = TypeVar("Result")
Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)
Extra = TypeVar("Extra")
Columns = dict[str, NDArray[Any]]
"""A table: arrays of one length by name, of numbers, or of objects that can be pickled."""
KEY = "key"
"""The column of int64 that a shuffle brings equal values of together."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one task takes of a machine.

    Attributes:
        cpus: cores.
        gpus: whole GPUs; the task sees these alone.
    """

    cpus: int = 1
    gpus: int = 0


ONE_CORE = Need()


class Kept(Protocol[Part_co]):
    """Results of tasks that stay where they were made, in the order of the tasks."""

    def shuffle(
        self, emit: Callable[[int, Part_co], Columns], reduce: Callable[[Columns], Result]
    ) -> list[Result]:
        """Bring rows with equal keys together.

        Args:
            emit: from a part's number and the part to a table with the column ``key``.
            reduce: of all rows of some of the keys, in any order.

        Returns:
            What ``reduce`` gave, in any order.
        """

    def map(
        self, make: Callable[[], Callable[[Part_co, Extra], Result]], extras: Sequence[Extra]
    ) -> Iterator[Result]:
        """A function of every part and what is given for it, in their order.

        Args:
            make: makes the function; called once for each process that stays for many parts, for what takes long
                to load. Such a process has a GPU to itself where there are any.
            extras: one a part.
        """


class Actors(Protocol):
    """Processes that stay, for functions that take long to make."""

    def map_by_actors(
        self, make: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """A function of every task, in the order of the tasks.

        Args:
            make: see `Kept.map`; what equals one of an earlier call is not made again.
            tasks: picklable; an engine may do those too that are added to the list meanwhile.
        """


class Engine(Actors, Protocol):
    """Runs functions at the top level of a module, so that they can be pickled, on tasks that can be.

    Results are the same for every engine and any number of workers, and whatever dies meanwhile. What a function
    raises is raised here, for the first task that raises; what an engine itself cannot do is a `DependencyError`.

    Attributes:
        workers: tasks that run at once.
        cores: the most that one task can have.
        gpus: those of all machines.
    """

    @property
    def workers(self) -> int:
        """See the class."""

    @property
    def cores(self) -> int:
        """See the class."""

    @property
    def gpus(self) -> int:
        """See the class."""

    def map_in_order(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], need: Need = ONE_CORE
    ) -> Iterator[Result]:
        """``function`` of every task, in the order of the tasks."""

    def keep(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Kept[Result]:
        """Run every task; the results are too much for one machine's memory."""

    def same_everywhere(self, function: Callable[[], str], what: str) -> None:
        """Check that every machine sees the same.

        Args:
            function: says in one word what a machine sees.
            what: that, in words.

        Raises:
            DependencyError: one sees something else, or nothing; names it.
        """

    def close(self) -> None:
        """Let go of the machines."""


Workers = int | Engine
"""Processes of this machine, or an engine."""


def engine_of(workers: Workers) -> Engine | None:
    """The engine, where there is one that spreads the work over machines."""
    return None if isinstance(workers, int) else workers


def join(tables: Sequence[Columns]) -> Columns:
    """Tables with the same columns, one below the other."""
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
