"""The pool of a set as a Parquet file: what was judged, with every score as a column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator._errors import InputError
from curator._files import atomic_write
from curator.pipeline.pool import PoolRow

if TYPE_CHECKING:
    import pandas as pd

POOL_FILE = "pool.parquet"
_VERSION = 1
_FIXED = tuple(field.name for field in fields(PoolRow) if field.name not in ("scores", "text"))
_FLAGS = ("low_continuity", "conversation", "keep", "taken")
# Names of the scores that were measured: a null does not tell "found nothing" from "never asked".
_MEASURED = "measured"
_RENAMED = {"language": "language_found"}
"""Scores whose name another column has, with the name of theirs."""


def write_pool(path: Path, rows: Sequence[PoolRow]) -> None:
    """Write a pool: the same rows give the same bytes.

    Columns are those of `PoolRow`; then every score by its name (null where it was not measured, JSON where it is
    no plain value), with the language that was found as ``language_found``; ``measured``, the names of the
    scores that were measured; and ``text``.

    Args:
        path: the file.
        rows: the pool, in the order in which it was judged.

    Raises:
        DependencyError: the disk is full.
    """
    frame = pool_frame(rows)
    with atomic_write(path) as handle:
        frame.to_parquet(handle, engine="pyarrow", index=False, compression="zstd")


def pool_frame(rows: Sequence[PoolRow]) -> pd.DataFrame:
    """A pool as a data frame; columns as in `write_pool`."""
    import pandas as pd

    columns: dict[str, pd.Series] = {
        name: pd.Series([getattr(row, name) for row in rows], dtype="bool" if name in _FLAGS else "string")
        for name in _FIXED
    }
    encoded: list[str] = []
    for name in dict.fromkeys(name for row in rows for name in row.scores):
        values = [row.scores.get(name) for row in rows]
        if any(isinstance(value, dict | list) for value in values):
            encoded.append(name)
            values = [None if value is None else json.dumps(value, sort_keys=True) for value in values]
        columns[_RENAMED.get(name, name)] = pd.Series(values, dtype=_kind(values))
    columns[_MEASURED] = pd.Series([" ".join(row.scores) for row in rows], dtype="string")
    columns["text"] = pd.Series([row.text for row in rows], dtype="string")
    frame = pd.DataFrame(columns)
    frame.attrs = {"pool": _VERSION, "json": encoded}
    return frame


def read_pool(path: Path) -> list[PoolRow]:
    """The rows of a pool.

    Args:
        path: the file.

    Raises:
        InputError: it is missing, damaged, no pool, or one of another version.
    """
    import pandas as pd
    import pyarrow as pa

    if not path.is_file():
        raise InputError(f"{path}: no such file; build the set again with this version to have its pool")
    try:
        frame = pd.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")
    except (OSError, ValueError, pa.ArrowException) as error:
        what = str(error).split("\n", 1)[0]
        raise InputError(f"{path}: no Parquet file that can be read ({what}); build the set again") from error
    missing = [name for name in (*_FIXED, _MEASURED, "text") if name not in frame]
    if missing or frame.attrs.get("pool") != _VERSION:
        why = f"no column {missing[0]!r}" if missing else f"its version is not {_VERSION}"
        raise InputError(f"{path}: not a pool that this version reads ({why}); build the set again")
    encoded = set(frame.attrs.get("json", ()))
    wrong = next((name for name in (*_FIXED, _MEASURED, "text") if not _is_sound(name, frame[name])), None)
    if wrong is not None:
        raise InputError(f"{path}: damaged (column {wrong!r} holds other values); build the set again")
    # Column by column: a row of a frame would make every value an object of one type.
    values = {str(name): _plain(frame[name]) for name in frame}
    try:
        return [_row(values, encoded, number) for number in range(len(frame))]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: damaged ({type(error).__name__}: {error}); build the set again") from error


def _row(values: dict[str, list[Any]], encoded: set[str], number: int) -> PoolRow:
    scores: dict[str, Any] = {}
    for name in values[_MEASURED][number].split():
        value = values[_RENAMED.get(name, name)][number]
        scores[name] = json.loads(value) if name in encoded and value is not None else value
    fixed = {name: values[name][number] for name in _FIXED}
    return PoolRow(**fixed, scores=scores, text=values["text"][number])


def _is_sound(name: str, column: pd.Series) -> bool:
    """Whether a column that every pool has is of its type, and null only where it may be."""
    kind = "boolean" if name in _FLAGS else "string"
    return str(column.dtype) == kind and (name in ("reason", "detail") or not column.isna().any())


def _plain(column: pd.Series) -> list[Any]:
    """Values of Python, ``None`` for null."""
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]


def _kind(values: Sequence[Any]) -> str:
    """The narrowest type of pandas that holds the values and null."""
    there = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in there) and there:
        return "boolean"
    if all(isinstance(value, int) for value in there) and there:
        return "Int64"
    return "Float64" if all(isinstance(value, int | float) for value in there) and there else "string"
