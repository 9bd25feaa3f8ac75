"""A JSON file: an array of objects, an object that holds such an array, or one object."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from curator._errors import InputError
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.json_values import json_fault, kind, mend_surrogates, parse_json_at, skip_json_at
from curator.corpora.rows.records import ROW, Fault, Row, UnusableError

# An array is parsed in memory, where it takes a few times its size.
LARGEST = 256 << 20
_SPACE = re.compile(r"[ \t\n\r]*")


def json_file_rows(
    blocks: Iterable[bytes], encoding: Encoding, is_row: Callable[[dict[str, Any]], bool]
) -> Iterator[Row | Fault]:
    """The objects of a JSON file, numbered from 1.

    Args:
        blocks: UTF-8, as `Encoding.utf8_blocks` gives it.
        encoding: decodes them.
        is_row: whether an object on its own is a row, although it holds a list of objects.

    Raises:
        InputError: not JSON, larger than 256 MB, or an object whose rows cannot be told.
    """
    text, mended = _whole(blocks, encoding)
    start = _space(text, 0)
    if start == len(text):
        return
    if text[start] == "[":
        yield from _array(text, start, mended, encoding.file)
        return
    try:
        value, end = parse_json_at(text, start)
        value, more = mend_surrogates(text, value)
    except UnusableError as error:
        raise _refusal(text, start, error, encoding.file) from error
    _check_end(text, end, encoding.file)
    for number, row in enumerate(_objects(value, is_row, encoding.file), start=1):
        yield _row(number, row, "; ".join(filter(None, (mended, more))))


def _whole(blocks: Iterable[bytes], encoding: Encoding) -> tuple[str, str]:
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size > LARGEST:
            raise InputError(
                f"{encoding.file}: JSON of over {LARGEST >> 20} MB in one piece does not stream; convert it to "
                "JSON Lines (one object a line), for instance with: jq -c '.[]'"
            )
    data = b"".join(parts)
    parts.clear()
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        # Errors name the line and the byte in it, as in formats that are read by lines.
        start = data.rfind(b"\n", 0, error.start) + 1
        encoding.text(data[start : error.end], data.count(b"\n", 0, start) + 1, start)
        return encoding.text(data, 1, 0)


def _array(text: str, start: int, mended: str, name: str) -> Iterator[Row | Fault]:
    at, number = _space(text, start + 1), 0
    if text[at : at + 1] == "]":
        _check_end(text, at + 1, name)
        return
    while True:
        number += 1
        begin = at
        try:
            found: Row | Fault
            value, at = parse_json_at(text, begin)
            value, more = mend_surrogates(text[begin:at], value)
            here = mended if "\ufffd" in text[begin:at] else ""
            found = _row(number, value, "; ".join(filter(None, (here, more))))
        except UnusableError as error:
            at = _skipped(text, begin, error, name)
            found = Fault(number, error.reason, str(error), ROW)
        yield found
        at = _space(text, at)
        mark, at = text[at : at + 1], _space(text, at + 1)
        if mark == "]":
            _check_end(text, at, name)
            return
        if mark != ",":
            end = UnusableError("a comma or the end of the array is missing", "not JSON")
            raise _refusal(text, min(at, len(text)), end, name)


def _skipped(text: str, start: int, error: UnusableError, name: str) -> int:
    """The end of a row that cannot be used; what is no JSON at all has no end to go on from."""
    try:
        return skip_json_at(text, start)
    except UnusableError as broken:
        raise _refusal(text, start, broken, name) from error


def _objects(value: Any, is_row: Callable[[dict[str, Any]], bool], name: str) -> list[Any]:
    if not isinstance(value, dict):
        raise InputError(f"{name}: the file holds {kind(value)}; it must hold an array of objects, or an object")
    if is_row(value):
        return [value]
    lists = [key for key, part in value.items() if isinstance(part, list) and part and isinstance(part[0], dict)]
    if len(lists) > 1:
        raise InputError(
            f"{name}: lists of objects under {', '.join(map(repr, lists))}; write the one to use to its own file"
        )
    return list(value[lists[0]]) if lists else [value]


def _row(number: int, value: Any, mended: str) -> Row | Fault:
    if not isinstance(value, dict):
        detail = f'a row must be an object, such as {{"text": "..."}}, not {kind(value)}'
        return Fault(number, "not an object", detail, ROW)
    return Row(number, value, mended, ROW)


def _check_end(text: str, at: int, name: str) -> None:
    at = _space(text, at)
    if at < len(text):
        more = UnusableError(
            "more text after the JSON value; for one object a line, set format: jsonl", "not JSON"
        )
        raise _refusal(text, at, more, name)


def _refusal(text: str, at: int, error: UnusableError, name: str) -> InputError:
    position = getattr(error.__cause__, "pos", at)
    line = text.count("\n", 0, position) + 1
    cause = error.__cause__
    words = f"not JSON ({json_fault(cause)})" if isinstance(cause, json.JSONDecodeError) else str(error)
    return InputError(f"{name}:{line}: {words}")


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
