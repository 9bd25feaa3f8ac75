"""Values and tables of ours as tables of Ray Data, which would make arrays of some lists and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from curator.engine.interface import Columns
from curator.engine.on_ray.remote import Fault, packed, unpacked

NUMBER, VALUE, FAULT, GROUP = "number", "value", "fault", "group"
# What the columns of objects are called.
_OBJECTS = "object:"


def of_rows(number: int, value: object, fault: Fault | None) -> pa.Table:
    """One row: a part's number with its value, or with what went wrong."""
    cells = {VALUE: b"" if fault else packed(value), FAULT: packed(fault) if fault else b""}
    return pa.table(
        {NUMBER: pa.array([number], pa.int64())} | {k: pa.array([v], pa.large_binary()) for k, v in cells.items()}
    )


def cell_table(columns: Columns, groups: np.ndarray[Any, np.dtype[np.int64]]) -> pa.Table:
    """A table for a shuffle, each row with the number of its group."""
    cells = {GROUP: pa.array(groups, pa.int64())}
    for name, column in columns.items():
        if column.dtype == object:
            cells[_OBJECTS + name] = pa.array(list(map(packed, column)), pa.large_binary())
        else:
            cells[name] = pa.array(column)
    return pa.table(cells)


def columns_of(table: pa.Table) -> Columns:
    """What `cell_table` was given, of the rows that are here."""
    found: Columns = {}
    for name in table.column_names:
        if name.startswith(_OBJECTS):
            values = np.empty(table.num_rows, object)
            values[:] = [unpacked(cell.as_py()) for cell in table.column(name)]
            found[name.removeprefix(_OBJECTS)] = values
        elif name != GROUP:
            found[name] = table.column(name).to_numpy()
    return found
