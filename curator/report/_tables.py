"""Tables as data: columns that hold nothing are left out, numbers are set apart from words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from curator.report.format import DASH

Cell = str | Markup
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of a report's table.

    Attributes:
        head: its label.
        cell: makes the cell of a row's record.
        kind: class of its cells: ``num`` aligns at the right in tabular figures, ``text`` wraps, ``code`` is
            monospaced, ``strip`` holds a plot.
        keep: shown even when every cell is a dash.
    """

    head: str
    cell: Callable[[Any], Cell]
    kind: str = "num"
    keep: bool = False


@dataclass(frozen=True)
class Table:
    """A table that is ready for the template."""

    columns: list[Column] = field(default_factory=list)
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)


def table(
    columns: Sequence[Column], records: Sequence[Any], row_class: Callable[[Any], str] = lambda record: ""
) -> Table | None:
    """A table of records without the columns that have nothing to say; ``None`` without rows or columns."""
    cells = [[column.cell(record) for column in columns] for record in records]
    shown = [
        index
        for index, column in enumerate(columns)
        if column.keep or any(row[index] not in ("", DASH) for row in cells)
    ]
    if not records or all(columns[index].keep for index in shown):
        return None
    return Table(
        [columns[index] for index in shown],
        [(row_class(record), [row[index] for index in shown]) for record, row in zip(records, cells, strict=True)],
    )


def of(mapping: object, *keys: str) -> Any:
    """A value deep in optional mappings, or ``None``."""
    for key in keys:
        mapping = mapping.get(key) if isinstance(mapping, Mapping) else None
    return mapping
