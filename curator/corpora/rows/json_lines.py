"""JSON Lines: one object a line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.json_values import kind, mend_surrogates, parse_strict
from curator.corpora.rows.lines import newline_lines
from curator.corpora.rows.plain_bytes import plain_blocks
from curator.corpora.rows.records import BYTE, Fault, Row, UnusableError


def json_line_rows(
    blocks: Iterable[bytes], encoding: Encoding, *, first: int = 1, offset: int = 0, by_bytes: bool = False
) -> Iterator[Row | Fault]:
    r"""The objects of a file's lines, which end at ``\n`` or ``\r\n`` only; blank lines are not rows.

    Args:
        blocks: UTF-8, as `Encoding.utf8_blocks` gives it.
        encoding: decodes the lines.
        first: number of the first line.
        offset: where it begins in the file, in bytes.
        by_bytes: call rows by their offset instead.

    Raises:
        InputError: bytes that are not in the encoding, when the encoding says that this stops the run.
    """
    number = first
    # A line may have hundreds of megabytes: it is held in one form at a time. `enumerate` would keep it.
    for line in newline_lines(blocks, encoding.file):
        size = len(line)
        # Few lines have escapes, and bytes are searched faster than text.
        escapes = b"\\u" in line
        text, mended = encoding.text(line, number, offset)
        del line
        row = None if text.isspace() else _row(number, text, mended, escapes)
        if row is not None and by_bytes:
            row = dataclasses.replace(row, number=offset, mark=BYTE)
        del text
        if row is not None:
            yield row
        number += 1
        offset += size


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a local JSON Lines file with their line numbers, from 1.

    Raises:
        InputError: the file cannot be read, or a line holds no object; names file and line.
    """
    encoding = Encoding(str(path))
    with LocalFile(path, str(path)).open() as handle:
        for row in json_line_rows(encoding.utf8_blocks(plain_blocks(handle, str(path))), encoding):
            if isinstance(row, Fault):
                raise InputError(f"{path}:{row.number}: {row.detail}")
            yield row.number, row.values


def _row(number: int, text: str, mended: str, escapes: bool) -> Row | Fault:
    more = ""
    try:
        # Files that were joined have their marks in the middle.
        value = parse_strict(text.removeprefix("\ufeff"))
        if escapes:
            value, more = mend_surrogates(text, value)
    except UnusableError as error:
        return Fault(number, error.reason, str(error))
    if not isinstance(value, dict):
        detail = f'a row must be an object, such as {{"text": "..."}}, not {kind(value)}'
        return Fault(number, "not an object", detail)
    return Row(number, value, "; ".join(filter(None, (mended, more))))
