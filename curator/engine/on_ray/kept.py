"""Parts of a corpus as a data set of Ray Data: read once, kept on the nodes, shuffled by key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic

from curator.engine.interface import KEY, Columns, Extra, Part, Result, Task
from curator.engine.on_ray.cells import FAULT, GROUP, NUMBER, VALUE, cell_table, columns_of, of_rows
from curator.engine.on_ray.remote import RETRIES, Session, answered, packed, translated, unpacked, value_of

# Bytes of parts whose rows come together in one task of a shuffle.
_TOGETHER = 256 << 20


class RayKept(Generic[Part]):
    """See `Kept`. A part that is lost with its node is made again by Ray from its task.

    Args:
        session: of the command.
        parts: rows of a part's number and the part, in their order.
        workers: processes that work at once.
        gpus: of the cluster.
    """

    def __init__(self, session: Session, parts: Any, workers: int, gpus: int) -> None:
        self._session = session
        self._parts = parts
        self._workers = workers
        self._gpus = gpus

    @classmethod
    def of(
        cls, session: Session, function: Callable[[Task], Part], tasks: Sequence[Task], workers: int, gpus: int
    ) -> RayKept[Part]:
        """The results of a function of every task."""
        from ray.data import TaskPoolStrategy, from_items

        rows = [{NUMBER: number, VALUE: packed(task)} for number, task in enumerate(tasks)]
        with translated():
            # A block each: Ray hands out blocks.
            made = (
                from_items(rows, override_num_blocks=max(len(rows), 1))
                .map_batches(_Made(session, function), compute=TaskPoolStrategy(size=workers), **_EACH)
                .materialize()
            )
            _raise_first(made)
        return cls(session, made, workers, gpus)

    def shuffle(self, emit: Callable[[int, Part], Columns], reduce: Callable[[Columns], Result]) -> list[Result]:
        """See `Kept`."""
        from ray.data import TaskPoolStrategy

        groups = max(self._workers, self._parts.size_bytes() // _TOGETHER)
        pool = TaskPoolStrategy(size=self._workers)
        with translated():
            rows = self._parts.map_batches(_Emitted(self._session, emit, groups), compute=pool, **_EACH)
            reduced = rows.groupby(GROUP).map_groups(
                _Reduced(self._session, reduce).rows_of_a_group, batch_format="pyarrow", max_retries=RETRIES
            )
            found = [(row[NUMBER], row[VALUE], row[FAULT]) for row in reduced.take_all()]
        # Faults of `emit` come with the number of its part, before those of `reduce`.
        return [_value(value, fault) for _, value, fault in sorted(found, key=lambda one: one[0])]

    def map(
        self, make: Callable[[], Callable[[Part, Extra], Result]], extras: Sequence[Extra]
    ) -> Iterator[Result]:
        """See `Kept`."""
        import ray
        from ray.data import ActorPoolStrategy

        count = min(self._gpus, self._workers) if self._gpus else self._workers
        given = [ray.put(extra) for extra in extras]
        with translated():
            made = self._parts.map_batches(
                _Mapped,
                fn_constructor_args=(self._session, make, given),
                compute=ActorPoolStrategy(min_size=1, max_size=count),
                num_gpus=1 if self._gpus else 0,
                max_restarts=RETRIES,
                max_task_retries=RETRIES,
                **{name: value for name, value in _EACH.items() if name != "max_retries"},
            )
            for number, row in enumerate(made.iter_rows()):
                if row[NUMBER] != number:
                    raise AssertionError(f"part {row[NUMBER]} came in the place of part {number}")
                yield _value(row[VALUE], row[FAULT])


_EACH = {"batch_size": 1, "batch_format": "pyarrow", "max_retries": RETRIES}


def _value(value: bytes, fault: bytes) -> Any:
    return value_of((unpacked(value) if value else None, unpacked(fault) if fault else None))


def _raise_first(parts: Any) -> None:
    """Raise the fault of the first part that has one."""
    for row in parts.select_columns([NUMBER, FAULT]).iter_rows():
        if row[FAULT]:
            _value(b"", row[FAULT])


class _Made:
    """A part from a task."""

    def __init__(self, session: Session, function: Callable[[Any], Any]) -> None:
        self._session = session
        self._function = function

    def __call__(self, batch: Any) -> Any:
        (row,) = batch.to_pylist()
        value, fault = answered(self._session, self._function, unpacked(row[VALUE]))
        return of_rows(row[NUMBER], value, fault)


class _Emitted:
    """The rows that a part gives to a shuffle."""

    def __init__(self, session: Session, emit: Callable[[int, Any], Columns], groups: int) -> None:
        self._session = session
        self._emit = emit
        self._groups = groups

    def __call__(self, batch: Any) -> Any:
        (row,) = batch.to_pylist()
        columns, fault = answered(self._session, self._emit, row[NUMBER], unpacked(row[VALUE]))
        if fault is not None:
            raise fault.error()
        return cell_table(columns, columns[KEY] % self._groups)


class _Reduced:
    """What follows from the rows of some keys."""

    def __init__(self, session: Session, reduce: Callable[[Columns], Any]) -> None:
        self._session = session
        self._reduce = reduce

    def rows_of_a_group(self, rows: Any) -> Any:
        """One row with the value; a method, since Ray asks for the function's name."""
        value, fault = answered(self._session, self._reduce, columns_of(rows))
        return of_rows(rows.column(GROUP)[0].as_py(), value, fault)


class _Mapped:
    """A function that is made once, of parts."""

    def __init__(self, session: Session, make: Callable[[], Callable[[Any, Any], Any]], given: list[Any]) -> None:
        self._session = session
        self._make = make
        self._given = given
        self._made: Callable[[Any, Any], Any] | None = None

    def __call__(self, batch: Any) -> Any:
        import ray

        (row,) = batch.to_pylist()
        extra = ray.get(self._given[row[NUMBER]])
        value, fault = answered(self._session, self._apply, unpacked(row[VALUE]), extra)
        return of_rows(row[NUMBER], value, fault)

    def _apply(self, part: Any, extra: Any) -> Any:
        # Here, where what it raises is told.
        if self._made is None:
            self._made = self._make()
        return self._made(part, extra)
