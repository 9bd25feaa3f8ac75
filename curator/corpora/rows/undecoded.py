"""Rows of tables whose text is not in its encoding: they stop the run, or are mended."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any

from curator._errors import InputError
from curator.corpora.reading import Reading
from curator.corpora.rows.records import Row, UnusableError
from curator.corpora.rows.shapes import Content, content_of


def row_content(row: Row, reading: Reading, where: str) -> tuple[Content, str]:
    """What a row says, as `content_of` finds it, and what was mended for it, in words.

    Bytes that no text is made of, such as a picture's, are not looked at.

    Args:
        row: as it was read; a table's values that are not in the encoding are bytes.
        reading: how it is read.
        where: the row's file and number, for errors.

    Raises:
        UnusableError: the row says nothing that can be used; says why.
        InputError: its text has bytes that are not in the encoding, and the recipe says that this stops the run.
    """
    try:
        return content_of(row.values, reading), row.mended
    except UnusableError:
        found = _first_bytes(row.values)
        if found is None:
            raise
    # Whether the bytes are at fault is seen when they are gone.
    content = content_of(_replaced(row.values, reading.encoding), reading)
    column, data = found
    name = codecs.lookup(reading.encoding).name.upper()
    if reading.encoding_errors == "stop":
        raise InputError(
            f"{where}: column {column!r} is not {name} (byte {_bad_byte(data, reading.encoding)} of the text); "
            "name its encoding, such as encoding: latin-1, or set encoding_errors: replace"
        )
    return content, "; ".join(filter(None, (row.mended, f"text of {column!r} that is not {name} became U+FFFD")))


def _first_bytes(values: Mapping[str, Any]) -> tuple[str, bytes] | None:
    """The first column that holds bytes, on their own or within lists and objects, and the bytes."""
    return next(((name, data) for name, value in values.items() if (data := _bytes_in(value)) is not None), None)


def _bytes_in(value: Any) -> bytes | None:
    if isinstance(value, bytes):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((data for part in parts if (data := _bytes_in(part)) is not None), None)


def _replaced(value: Any, encoding: str) -> Any:
    """The value with U+FFFD where bytes are not in the encoding."""
    if isinstance(value, bytes):
        return value.decode(encoding, "replace")
    if isinstance(value, list):
        return [_replaced(part, encoding) for part in value]
    if isinstance(value, dict):
        return {key: _replaced(part, encoding) for key, part in value.items()}
    return value


def _bad_byte(data: bytes, encoding: str) -> int:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    return 0
