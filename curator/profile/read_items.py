"""The items of an evaluation file: task, prompt, gold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.document import conversation_text
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.records import Fault, Row, UnusableError
from curator.corpora.rows.values import MISSING, column_list, value_at
from curator.gates.leakage.evaluation_file import evaluation_rows
from curator.profile.columns import EvalColumns, all_names, find_columns
from curator.profile.gold import gold_texts, gold_type
from curator.profile.item import GoldType
from curator.tokens.parts import unbroken

NO_TASK = "all"
"""Task of items that name none."""
# What is longer is no name; as a key in YAML, 1,024 characters are the end.
_LONGEST_NAME = 256
# Of more tokens than any model's sequence; a tokenizer takes half a gigabyte for it.
_LONGEST_WORD = 4_000_000
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class RawItem:
    """One item as it was read.

    Attributes:
        row: its line or row, from 1.
        task: its task.
        prompt: what the model is asked; turns joined by blank lines.
        golds: texts of the gold.
        gold_type: what the gold is.
    """

    row: int
    task: str
    prompt: str
    golds: tuple[str, ...]
    gold_type: GoldType


@dataclass(frozen=True, slots=True)
class RawItems:
    """All items of a file, and the columns they were read from."""

    columns: EvalColumns
    items: list[RawItem] = field(default_factory=list)


def read_items(path: Path, asked: EvalColumns) -> RawItems:
    """Read an evaluation file of any format: JSON Lines, JSON, Parquet, Arrow, CSV, TSV or text, also compressed.

    Args:
        path: the file.
        asked: columns that the user named; the others are found by their usual names.

    Raises:
        InputError: the file or a row of it is damaged, has no prompt, or has one that is no text; names the line.
    """
    rows: list[Row] = []
    for row in evaluation_rows(path):
        if isinstance(row, Fault):
            raise InputError(f"{path}{row.mark}{row.number}: {row.detail}")
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: an evaluation file without rows; give one item a line")
    columns = find_columns(all_names([row.values for row in rows]), asked, str(path))
    found = RawItems(columns)
    for row in rows:
        try:
            found.items.append(_item(row, columns))
        except UnusableError as error:
            raise InputError(f"{path}{row.mark}{row.number}: {error}") from error
    return found


def _item(row: Row, columns: EvalColumns) -> RawItem:
    values = row.values
    gold: Any = value_at(values, columns.gold) if columns.gold else None
    if columns.messages:
        prompt, answer = _turns(values, columns.messages)
        prompt = _counted_in_parts(prompt)
        gold = answer if gold in (None, MISSING) else gold
    else:
        prompt = _prompt(values, columns.prompt)
    gold = None if gold is MISSING else gold
    return RawItem(row.number, _task(values, columns.task), prompt, tuple(gold_texts(gold)), gold_type(gold))


def task_name(value: Any) -> str:
    """A task's name in one line, numbers as they are written; empty for what names none.

    Control characters would be refused by recipes.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return " ".join(_CONTROL.sub(" ", without_surrogates(value)).split()) if isinstance(value, str) else ""


def _task(values: Mapping[str, Any], path: str) -> str:
    task = task_name(value_at(values, path) if path else NO_TASK)
    if not task:
        raise UnusableError(
            f"column {path!r} names no task; name another with --map task=COLUMN, or give each row one", "no task"
        )
    if len(task) > _LONGEST_NAME:
        raise UnusableError(
            f"column {path!r} holds {len(task):,} characters, no name of a task; name another with "
            f"--map task=COLUMN, or shorten it to {_LONGEST_NAME}",
            "no task",
        )
    return task


def _prompt(values: Mapping[str, Any], paths: str) -> str:
    whole = value_at(values, paths)
    parts = [whole] if whole is not MISSING else [value_at(values, path) for path in paths.split("+")]
    if all(part in (None, MISSING) for part in parts):
        raise UnusableError(
            f"no prompt in {paths!r}; name it with --map prompt=COLUMN; columns found: {column_list(values)}",
            "missing column",
        )
    texts = [_text(part, paths) for part in parts if part not in (None, MISSING)]
    return _counted_in_parts(without_surrogates("\n\n".join(text for text in texts if text)))


def _counted_in_parts(prompt: str) -> str:
    """The prompt, unless a stretch of it is longer than any sequence and has no place to be cut at."""
    at = unbroken(prompt, _LONGEST_WORD)
    if at is None:
        return prompt
    raise UnusableError(
        f"{_LONGEST_WORD:,} characters of the prompt (of {len(prompt):,}) are one word, {prompt[at : at + 12]!r}: "
        "nothing that a model is asked, and its tokens would take gigabytes to count; leave the row out",
        "one word",
    )


def _text(value: Any, path: str) -> str:
    """A text as it is, turns as a conversation, choices a line each with its letter."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return conversation_text(conversation(value))
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        value = value["text"]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(f"{_label(number)}. {one}" for number, one in enumerate(value))
    raise UnusableError(
        f"column {path!r} is neither text nor turns; name another with --map prompt=COLUMN", "text"
    )


def _label(number: int) -> str:
    return _LETTERS[number] if number < len(_LETTERS) else str(number + 1)


def _turns(values: Mapping[str, Any], path: str) -> tuple[str, str | None]:
    """The turns up to the last answer as one text, and that answer."""
    turns: Sequence[Any] = conversation(value_at(values, path))
    answer = None
    if turns and turns[-1].role == "assistant":
        answer = turns[-1].content
        turns = turns[:-1]
    if not turns:
        raise UnusableError(f"column {path!r} has no turn that asks something", "not a conversation")
    return conversation_text(tuple(turns)), answer
