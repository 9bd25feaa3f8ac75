"""Rows of Arrow record batches as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from curator._errors import InputError
from curator.corpora.rows.inflation import Inflation
from curator.corpora.rows.records import ROW, Fault, Row
from curator.corpora.rows.table_sizes import VALUE, Sizes, row_sizes

_STEP = 256
_STEP_BYTES = 64 << 20
# A row is held in memory several times while it becomes a document.
LONGEST = 384 << 20
# What the library raises for damaged files; names of columns are decoded, and sizes taken at their word.
DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError)

Choose = Callable[[Sequence[str]], list[str]]
"""From the columns of a table to those that are read."""


def batch_rows(batch: pa.RecordBatch, number: int, encoding: str, inflation: Inflation) -> Iterator[Row | Fault]:
    """The rows of a batch.

    Bytes become text where they are in the encoding and stay bytes otherwise: they may be a picture that nobody
    asked for. Fields of nested objects that are null are left out: in a table, every object of a list has the
    fields of all others.

    Args:
        batch: its columns have different names.
        number: number of its first row.
        encoding: how binary values are read, and text that is not UTF-8 as it should be.
        inflation: counts what the values are once they are written out.

    Raises:
        pa.ArrowInvalid: the batch is damaged.
        InputError: the file expands beyond what a file may.
    """
    # Rows of nothing cost a file nothing.
    inflation.add(batch.num_rows * VALUE)
    _check(batch)
    sizes = row_sizes(batch)
    inflation.add(int(sizes.sum()))
    for start, end in _steps(sizes):
        part = batch.slice(start, end - start)
        if end - start == 1 and sizes[start] > LONGEST:
            yield Fault(number + start, "too large", f"a row of over {LONGEST >> 20} MB; split it", ROW)
            continue
        try:
            rows = part.to_pylist()
        except ValueError:
            # One value of these cannot be a Python object: find its row.
            for index in range(part.num_rows):
                yield _single(part.slice(index, 1), number + start + index, encoding)
            continue
        for index, row in enumerate(rows):
            values = {key: _plain(value, (encoding,)) for key, value in row.items()}
            yield Row(number + start + index, values, mark=ROW)


def _steps(sizes: Sizes) -> Iterator[tuple[int, int]]:
    """Rows that become Python's together: few enough, and few enough bytes, but one at the least."""
    upto = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = upto[start - 1] if start else 0
        fits = int(np.searchsorted(upto, before + _STEP_BYTES, side="right"))
        end = max(start + 1, min(fits, start + _STEP, len(sizes)))
        yield start, end
        start = end


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


def _single(row: pa.RecordBatch, number: int, encoding: str) -> Row | Fault:
    values: dict[str, Any] = {}
    for column in row.schema.names:
        try:
            values[column] = _value(row.column(column), encoding)
        except ValueError as error:
            detail = f"column {column!r} holds a value that cannot be read ({error})"
            return Fault(number, "not text", detail, ROW)
    return Row(number, values, mark=ROW)


def _value(column: pa.Array, encoding: str) -> Any:
    """The value of a column of one row."""
    try:
        return _plain(column[0].as_py(), (encoding,))
    except UnicodeDecodeError:
        # Text of the same value that is UTF-8, as the table says, stays what it is.
        return _plain(_as_binary(column)[0].as_py(), ("utf-8", encoding))


def _check(batch: pa.RecordBatch) -> None:
    """Refuse offsets and indices that point outside of their data: the library would follow them.

    Raises:
        pa.ArrowInvalid: there are some.
    """
    for column in batch.columns:
        # Whether text is UTF-8 is seen row by row.
        _as_binary(column).validate(full=True)


def _as_binary(column: pa.Array) -> pa.Array:
    """The same values with bytes in the place of texts, also within lists and objects."""
    kind = _binary_type(column.type)
    try:
        return column if kind == column.type else column.view(kind)
    except pa.ArrowException:
        # A rare type beside the text that the library cannot view: the column is judged as it is.
        return column


def _binary_type(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return pa.large_binary() if types.is_large_string(kind) else pa.binary()
    if types.is_struct(kind):
        return pa.struct([_binary_field(kind.field(index)) for index in range(kind.num_fields)])
    if types.is_list(kind) or types.is_large_list(kind):
        field = _binary_field(kind.value_field)
        return pa.large_list(field) if types.is_large_list(kind) else pa.list_(field)
    if types.is_fixed_size_list(kind):
        return pa.list_(_binary_field(kind.value_field), kind.list_size)
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _binary_type(kind.value_type), kind.ordered)
    return kind


def _binary_field(field: pa.Field) -> pa.Field:
    return field.with_type(_binary_type(field.type))


def _plain(value: Any, encodings: Sequence[str]) -> Any:
    if isinstance(value, bytes):
        return _decoded(value, encodings)
    if isinstance(value, list):
        return [_plain(part, encodings) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part, encodings) for key, part in value.items() if part is not None}
    return value


def _decoded(value: bytes, encodings: Sequence[str]) -> str | bytes:
    """The text in the first encoding that fits; the bytes themselves where none does."""
    for encoding in encodings:
        try:
            return value.decode(encoding)
        except UnicodeError:
            continue
    return value
