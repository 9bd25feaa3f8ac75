"""Rows of Arrow record batches as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import pyarrow as pa

from curator._errors import InputError
from curator.corpora.rows.records import ROW, Fault, Row

_STEP = 256
# What the library raises for damaged files; names of columns are decoded, and sizes taken at their word.
DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError)

Choose = Callable[[Sequence[str]], list[str]]
"""From the columns of a table to those that are read."""


def batch_rows(
    batch: pa.RecordBatch, number: int, name: str, errors: Literal["stop", "replace"]
) -> Iterator[Row | Fault]:
    """The rows of a batch.

    Bytes become text where they are UTF-8 and stay bytes otherwise. Fields of nested objects that are null are
    left out: in a table, every object of a list has the fields of all others.

    Args:
        batch: its columns have different names.
        number: number of its first row.
        name: what errors call the file.
        errors: what to do with text that is not UTF-8.

    Raises:
        InputError: text that is not UTF-8, when ``errors`` is ``stop``.
        pa.ArrowInvalid: the batch is damaged.
    """
    _check(batch)
    for start in range(0, batch.num_rows, _STEP):
        part = batch.slice(start, _STEP)
        try:
            rows = part.to_pylist()
        except ValueError:
            # One value of these cannot be a Python object: find its row.
            for index in range(part.num_rows):
                yield _single(part.slice(index, 1), number + start + index, name, errors)
            continue
        for index, row in enumerate(rows):
            yield Row(number + start + index, {key: _plain(value) for key, value in row.items()}, mark=ROW)


def damaged(name: str, kind: str, error: BaseException) -> InputError:
    """What to raise for one of `DAMAGE`."""
    told = str(error).partition("\n")[0].rstrip(". ") or type(error).__name__
    return InputError(f"{name}: no {kind} file, or truncated or damaged ({told}); copy or download it again")


def check_names(schema: pa.Schema, name: str) -> None:
    """Refuse a table in which two columns have one name.

    Raises:
        InputError: two have.
    """
    twice = next((column for column in schema.names if schema.names.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"{name}: two columns are called {twice!r}; rename one")


def _single(row: pa.RecordBatch, number: int, name: str, errors: str) -> Row | Fault:
    values: dict[str, Any] = {}
    mended = ""
    for column in row.schema.names:
        try:
            values[column] = _plain(row.column(column)[0].as_py())
        except UnicodeDecodeError as error:
            if errors == "stop":
                raise InputError(
                    f"{name}{ROW}{number}: column {column!r} is not UTF-8 (byte {error.start} of the text); "
                    "set encoding_errors: replace to keep the row"
                ) from error
            values[column] = _as_binary(row.column(column))[0].as_py().decode("utf-8", "replace")
            mended = f"text of {column!r} that is not UTF-8 became U+FFFD"
        except ValueError as error:
            detail = f"column {column!r} holds a value that cannot be read ({error})"
            return Fault(number, "not text", detail, ROW)
    return Row(number, values, mended, ROW)


def _check(batch: pa.RecordBatch) -> None:
    """Refuse offsets and indices that point outside of their data: the library would follow them.

    Raises:
        pa.ArrowInvalid: there are some, or text inside of lists and objects that is not UTF-8.
    """
    for column in batch.columns:
        # Whether text in columns of its own is UTF-8 is seen row by row.
        (_as_binary(column) if _is_text(column.type) else column).validate(full=True)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_binary(column: pa.Array) -> pa.Array:
    return column.view(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary())


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if part is not None}
    return value
