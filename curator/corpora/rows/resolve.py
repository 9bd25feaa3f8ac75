"""Deciding which columns are what, once for a file and the same for all of its parts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from curator._errors import InputError, did_you_mean
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.byte_source import ByteSource
from curator.corpora.rows.detect import format_by_name
from curator.corpora.rows.join import template_columns
from curator.corpora.rows.own import LICENCES
from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.row_reader import read_span
from curator.corpora.rows.shapes import asked_columns, has_usual_names, is_explicit
from curator.corpora.rows.suggest import suggestion
from curator.corpora.rows.values import MISSING, column_list, value_at

# A file is judged by so many rows at its start, or fewer when they are long.
SAMPLE_ROWS = 100
_SAMPLE_CHARS = 16_000_000

Rows = Sequence[Row | Fault]


def resolve_reading(source: ByteSource, reading: Reading) -> tuple[Reading, tuple[str, ...]]:
    """The reading to use for every part of a file, judged by its first 100 rows, and what to tell the user.

    Columns that the recipe names are kept. Without any, rows are read by the usual names when one of the first
    rows has them; otherwise the only column that holds text is taken, with a note.

    Raises:
        InputError: the file cannot be read; a column that the text is made of is in none of the first rows; or
            the recipe names none and no column, or more than one, holds text. Names the columns found.
        DependencyError: a hub or a network failed.
    """
    kind = format_by_name(source.name) if reading.format == "auto" else reading.format
    if kind == "text" and not asked_columns(reading):
        # Nothing to decide, and a first row may be the whole file.
        return reading, ()
    return resolve_rows(source.name, reading, list(sample(read_span(source, reading))))


def sample(rows: Iterator[Row | Fault]) -> Iterator[Row | Fault]:
    """The first rows, by which a file is judged; the others stay in ``rows``."""
    chars = 0
    for row in itertools.islice(rows, SAMPLE_ROWS):
        yield row
        chars += _chars(row.values) if isinstance(row, Row) else 0
        if chars > _SAMPLE_CHARS:
            return


def resolve_rows(name: str, reading: Reading, first: Rows) -> tuple[Reading, tuple[str, ...]]:
    """As `resolve_reading`, for rows that were read already.

    Args:
        name: what errors and notes call the file.
        reading: as the recipe has it.
        first: what `sample` gave.
    """
    rows = [row.values for row in first if isinstance(row, Row)]
    if not rows:
        return reading, ()
    notes = _check_asked(name, reading, rows)
    if is_explicit(reading) or any(has_usual_names(row) for row in rows):
        return reading, notes
    column = _only_text(name, reading.columns, rows)
    columns = reading.columns.model_copy(update={"text": column})
    return reading.model_copy(update={"columns": columns}), (*notes, f"{name}: text is column {column!r}")


def _check_asked(name: str, reading: Reading, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    columns = reading.columns
    asked = {columns.text, columns.messages, columns.prompt, columns.response, columns.choices, columns.task}
    # Without the column of licences every row would take the source's, which may allow more.
    asked |= {columns.licence}
    asked |= set(template_columns(reading.join)) if reading.join is not None else set()
    for path in sorted(asked - {None}, key=str):
        if path is not None and not _is_in(rows, path):
            example = "columns: {task: NAME}" if path == columns.task else ""
            raise _refusal(name, f"no column {path!r}", rows, path, example)
    others = {columns.system, columns.context, columns.reasoning, columns.tools, columns.language}
    return tuple(
        f"{name}: no column {path!r} in its first rows; columns found: {column_list(_names(rows))}"
        for path in sorted(others - {None}, key=str)
        if path is not None and not _is_in(rows, path)
    )


def _only_text(name: str, columns: Columns, rows: list[dict[str, Any]]) -> str:
    """The one column that holds text and nothing that the recipe or its usual name gives another meaning."""
    taken = {columns.language, columns.task, *((columns.licence,) if columns.licence else LICENCES)}
    names = [column for column in _names(rows) if column not in taken]
    texts = [column for column in names if any(_is_text(row.get(column)) for row in rows)]
    if len(texts) == 1:
        return texts[0]
    what = f"{len(texts)} columns hold text ({column_list(texts)})" if texts else "no column holds text"
    raise _refusal(name, f"no column 'text' or messages, and {what}", rows)


def _refusal(name: str, what: str, rows: list[dict[str, Any]], asked: str = "", example: str = "") -> InputError:
    names = _names(rows)
    if format_by_name(name) == "text" and names == ["text"]:
        fix = "It is plain text; leave columns out, or name the files to read by a pattern such as data/*.jsonl"
        return InputError(f"{name}: {what}; columns found: text. {fix}")
    fix = f"Say which to use, such as {example or suggestion(rows, names)}"
    hint = did_you_mean(asked, names, fix, repr)
    return InputError(f"{name}: {what}; columns found: {column_list(names)}. {hint[0].upper()}{hint[1:]}")


def _is_in(rows: list[dict[str, Any]], path: str) -> bool:
    return any(value_at(row, path) is not MISSING for row in rows)


def _names(rows: list[dict[str, Any]]) -> list[str]:
    """All columns, in the order in which they come."""
    return list(dict.fromkeys(column for row in rows for column in row))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and any(character.isalpha() for character in value)


def _chars(value: Any, depth: int = 4) -> int:
    """Roughly the characters of a value: those of a conversation's turns are at the fourth level."""
    if isinstance(value, str | bytes):
        return len(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(_chars(part, depth - 1) for part in parts) if depth else 0
