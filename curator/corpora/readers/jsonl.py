"""Local JSON lines: one object a line."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from curator._errors import InputError
from curator.corpora.document import Document, Message, conversation_text
from curator.corpora.readers.chat_rows import conversation
from curator.corpora.readers.plain_text import without_surrogates

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_jsonl(
    path: Path, *, field: str = "text", task: str, language: str = "und", licence: str = "unknown"
) -> Iterator[Document]:
    r"""One document a row; the file is read line by line and lines end at ``\n`` or ``\r\n`` only.

    A row with ``messages`` (or ShareGPT's ``conversations``) is a conversation, any other gives its
    ``field``. Rows without text (empty, blank or null) come as documents with that text or none, for a later
    gate to count; blank lines are not rows. Half a surrogate pair becomes U+FFFD. A byte-order mark at the
    start is dropped.

    Raises:
        InputError: ``path:line: what, fix``, for bad JSON, a row that is no object, a missing field, text
            that is not a string, bytes that are not UTF-8; or the file cannot be read.
    """
    # A name that is not UTF-8 could not be written into a set.
    name = without_surrogates(path.name)
    for number, row in read_rows(path):
        text, messages = _text(path, number, row, field)
        yield Document(
            id=f"{name}#{number}",
            corpus=without_surrogates(str(path)),
            unit=f"file:{name}",
            task=task,
            language=language,
            licence=licence,
            text=text,
            messages=messages,
        )


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers, from 1.

    Raises:
        InputError: as `read_jsonl`, for what is no JSON object.
    """
    try:
        _check_regular(path)
        with path.open("rb") as handle:
            offset = 0
            for number, line in enumerate(handle, start=1):
                row = _row(path, number, offset, line)
                offset += len(line)
                if row is not None:
                    yield number, row
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error


def _check_regular(path: Path) -> None:
    """Refuse pipes, devices and folders before they are opened: a pipe without a writer waits for ever."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a folder; name the JSON Lines file in it")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: a pipe or device, not a file; save the rows to a file first")


def _row(path: Path, number: int, offset: int, line: bytes) -> dict[str, Any] | None:
    if number == 1 and line.startswith(_UTF16_MARKS):
        _refuse(path, number, "the file is UTF-16; save it as UTF-8")
    mark = len(_UTF8_MARK) if number == 1 and line.startswith(_UTF8_MARK) else 0
    line = line[mark:]
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        at = mark + error.start
        _refuse(
            path,
            number,
            f"not UTF-8 at byte {at} of the line (byte {offset + at} of the file); save it as UTF-8",
        )
    if not text.strip():
        return None
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(path, number, f"not JSON ({error.msg} at column {error.colno}); write one object a line")
    except ValueError:
        _refuse(path, number, "a number has too many digits to be read; shorten it or make it text")
    except RecursionError:
        _refuse(path, number, "not usable JSON (nested too deeply); write one flat object a line")
    if not isinstance(row, dict):
        _refuse(path, number, f'a row must be an object, such as {{"text": "..."}}, not {type(row).__name__}')
    return row


def _text(path: Path, number: int, row: dict[str, Any], field: str) -> tuple[str, tuple[Message, ...] | None]:
    for name in ("messages", "conversations"):
        if name in row and name != field:
            try:
                messages = conversation(row[name])
            except ValueError as error:
                raise InputError(f"{path}:{number}: {error}") from error
            return conversation_text(messages), messages
    if field not in row:
        found = ", ".join(row) or "none"
        _refuse(
            path,
            number,
            f"no field {field!r} and no messages; fields found: {found}. Name one as the text field",
        )
    value = row[field]
    if value is None:
        return "", None
    if not isinstance(value, str):
        _refuse(
            path,
            number,
            f"field {field!r} must be text, not {type(value).__name__}; join or convert it first",
        )
    return without_surrogates(value), None


def _refuse(path: Path, number: int, what: str) -> NoReturn:
    raise InputError(f"{path}:{number}: {what}")
