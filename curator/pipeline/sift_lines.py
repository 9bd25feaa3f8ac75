"""The lines of a file of rows as they were written, beside what was read of them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any, Self

from curator.corpora.document import Document
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.lines import newline_lines
from curator.corpora.rows.plain_bytes import plain_blocks
from curator.corpora.rows.row_reader import sniffed_reading
from curator.pipeline.sift import Sifted


class RowLines:
    """Goes through a file of JSON Lines beside its reader, for what a reader does not hand on.

    Rows of other formats have no lines of their own: what was read of them stands in. To be closed by ``with``.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._source = LocalFile(path, str(path))
        self._lines = self._read() if self._is_lines() else None
        self._number, self._last = 0, b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file."""
        if self._lines is not None:
            self._lines.close()

    def line(self, sifted: Sifted) -> bytes:
        """The row's line, byte for byte, with its end; rows are asked for in their order."""
        raw = self._raw(sifted.row)
        if raw:
            return raw if raw.endswith(b"\n") else raw + b"\n"
        return b"" if sifted.document is None else _written(sifted.document)

    def id(self, sifted: Sifted) -> Any:
        """The row's own id, a number where the file has a number; ``None`` when it has none."""
        known = sifted.id
        # Only these may be another value in the file than its text says.
        is_digits = isinstance(known, str) and known.lstrip("-").isdigit()
        if sifted.document is not None and not is_digits:
            return known
        value = None
        with contextlib.suppress(ValueError, RecursionError):
            row = json.loads(self._raw(sifted.row))
            value = row.get("id") if isinstance(row, dict) else None
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return value if is_number or (known is None and isinstance(value, str)) else known

    def _raw(self, number: int) -> bytes:
        if self._lines is None:
            return b""
        while self._number < number:
            self._number, self._last = self._number + 1, next(self._lines, b"")
        return self._last

    def _is_lines(self) -> bool:
        return sniffed_reading(self._source, Reading())[0].format == "jsonl"

    def _read(self) -> Generator[bytes, None, None]:
        with self._source.open() as handle:
            blocks = plain_blocks(handle, self._source.name)
            yield from newline_lines(Encoding(self._source.name).utf8_blocks(blocks), self._source.name)


def _written(document: Document) -> bytes:
    """A row that says what the document says, under the usual names."""
    row: dict[str, Any] = {"id": document.row_id} if document.row_id else {}
    row |= {"task": document.task, "language": document.language, "licence": document.licence}
    if document.messages is None:
        row["text"] = document.text
    else:
        row["messages"] = [message.as_row() for message in document.messages]
        if document.tools:
            row["tools"] = list(document.tools)
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"
