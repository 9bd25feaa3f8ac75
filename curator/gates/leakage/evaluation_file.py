"""The items of an evaluation file, whatever its columns are called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.reading import Reading
from curator.corpora.rows.arrow_file import arrow_rows
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.parquet_file import parquet_rows
from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.row_reader import read_span, sniffed_reading
from curator.corpora.rows.values import why_empty
from curator.gates.leakage.asked import asked_spans
from curator.gates.leakage.item import EvalItem

_IDS = (
    "id",
    "_id",
    "item_id",
    "question_id",
    "task_id",
    "example_id",
    "qid",
    "uid",
    "uuid",
    "idx",
    "index",
    "name",
)
_QUESTIONS_TEXT = (
    "question prompt query problem problem_statement instruction instructions input inputs goal ask user human"
    " question_text question_stem stem turns"
)
_QUESTIONS = frozenset(_QUESTIONS_TEXT.split())
_ANSWERS_TEXT = (
    "answer answers gold target targets solution solutions reference references output outputs response completion"
    " canonical_solution explanation rationale reasoning label_text ideal assistant gpt correct_answer best_answer"
    " choices options endings choice option"
)
_ANSWERS = frozenset(_ANSWERS_TEXT.split())
# What says something about the item and is none of its text.
_ABOUT_TEXT = (
    "task task_name subject topic category source url dataset type level difficulty lang language licence license"
    " split version model role from date timestamp author hash sha256 label labels answerkey answer_start"
)
_ABOUT = frozenset(_ABOUT_TEXT.split()) | frozenset(_IDS)
# A shorter answer or choice ("the fourth of July") is said everywhere.
_LONG_ANSWER = 80
_PART = "\n"

Part = tuple[str, str]


def read_evaluation(path: Path) -> list[EvalItem]:
    """The items of an evaluation file: JSON Lines, JSON, Parquet, Arrow, CSV, TSV or text, also compressed.

    All text of a row counts (question, context, choices, answer), under any column names. The question is told by
    its column's usual names or, without one, by its form.

    Raises:
        InputError: the file is missing or damaged, or a row is; it has no rows; no row has text. Names the file
            and, for a row, its line.
    """
    items, rows = list[EvalItem](), 0
    for row in evaluation_rows(path):
        if isinstance(row, Fault):
            raise InputError(f"{path}{row.mark}{row.number}: {row.detail}")
        rows += 1
        item = _item(row.values, f"{path.name}#{row.number}")
        if not why_empty(item.text):
            items.append(item)
    if not rows:
        raise InputError(f"{path}: an evaluation file without rows; give one item a line")
    if not items:
        raise InputError(f"{path}: none of its {rows} rows has text, such as a question; is it the right file?")
    return items


def evaluation_rows(path: Path) -> Iterator[Row | Fault]:
    """The rows of an evaluation file of any format, with all their columns, and those that could not be read.

    Raises:
        InputError: the file is missing or damaged as a whole.
    """
    source = LocalFile(path, str(path))
    reading, _ = sniffed_reading(source, Reading())
    if reading.format not in ("parquet", "arrow"):
        yield from read_span(source, reading)
        return
    # Of a table, `read_span` reads those columns only that a conversation is made of.
    with source.open() as handle:
        if reading.format == "arrow":
            yield from arrow_rows(handle, source.name, reading.encoding, list)
        else:
            yield from parquet_rows(handle, source.name, reading.encoding, list)


def _item(values: dict[str, Any], default: str) -> EvalItem:
    parts = list(_parts(values, ""))
    has_question = any(role in _QUESTIONS for role, _ in parts)
    pieces, asked, at = list[str](), list[tuple[int, int]](), 0
    for role, text in parts:
        asked += [(at + start, at + end) for start, end in _asked_in(role, text, has_question)]
        pieces.append(text)
        at += len(text) + len(_PART)
    return EvalItem(_id(values, default), _PART.join(pieces), tuple(asked))


def _asked_in(role: str, text: str, has_question: bool) -> tuple[tuple[int, int], ...]:
    """The stretches of one column's text that make its row this item."""
    whole = ((0, len(text)),)
    if role in _ANSWERS:
        # An answer that is long is evidence, but only beside a question that is known.
        return whole if len(text) >= _LONG_ANSWER else ()
    if role not in _QUESTIONS:
        return () if has_question else whole
    # A question that asks nothing by its form (a problem, a task) is all of it the question.
    return asked_spans(text) or whole


def _parts(value: Any, role: str) -> Iterator[Part]:
    """Every text of a row with the column that it is in; a turn's speaker counts as its column."""
    if isinstance(value, str):
        if value.strip():
            yield role, without_surrogates(value)
    elif isinstance(value, list):
        for part in value:
            yield from _parts(part, role)
    elif isinstance(value, dict):
        speaker = value.get("role", value.get("from"))
        for name, part in value.items():
            key = str(name).lower()
            if key not in _ABOUT:
                yield from _parts(part, speaker if isinstance(speaker, str) else _role(key, role))


def _role(key: str, outer: str) -> str:
    """A column within another has its meaning from the one that has any: ``answers.text`` is an answer."""
    return outer if outer in _QUESTIONS | _ANSWERS and key not in _QUESTIONS | _ANSWERS else key


def _id(values: dict[str, Any], default: str) -> str:
    by_name = {str(name).lower(): value for name, value in values.items()}
    found = next((by_name[name] for name in _IDS if by_name.get(name) not in (None, "")), default)
    if isinstance(found, bool) or not isinstance(found, str | int):
        return default
    # A file is named too where ids are numbers: those of two files are the same.
    return without_surrogates(found) if isinstance(found, str) else f"{default.partition('#')[0]}#{found}"
