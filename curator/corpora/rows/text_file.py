"""Plain text: a file, its paragraphs or its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from curator._errors import InputError
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.lines import text_lines
from curator.corpora.rows.records import BYTE, LINE, Row

LARGEST = 256 << 20
_COLUMN = "text"


def text_rows(
    blocks: Iterable[bytes],
    encoding: Encoding,
    unit: Literal["document", "paragraph", "line"],
    *,
    first: int = 1,
    offset: int = 0,
    by_bytes: bool = False,
) -> Iterator[Row]:
    r"""The texts of a plain-text file, as rows with a column ``text``; their number is that of their first line.

    A line ends at ``\n``, ``\r\n`` or ``\r`` and nothing else. Blank lines divide paragraphs, and are no rows
    where lines are. Nothing else is changed: a document keeps all its line ends, a paragraph all but its last.

    Args:
        blocks: UTF-8, as `Encoding.utf8_blocks` gives it.
        encoding: decodes the lines.
        unit: what one text is.
        first: number of the first line.
        offset: where it begins in the file, in bytes.
        by_bytes: call rows by the offset of their first line instead.

    Raises:
        InputError: bytes that are not in the encoding, when the encoding says that this stops the run; a text of
            more than 256 million characters.
    """
    text = _Text(encoding.file, unit, BYTE if by_bytes else LINE)
    for number, line in enumerate(text_lines(blocks, encoding.file), start=first):
        content, mended = encoding.text(line, number, offset)
        if unit == "document" or content.strip():
            text.add(offset if by_bytes else number, content, mended)
        elif text:
            yield text.row()
        if unit == "line" and text:
            yield text.row()
        offset += len(line)
    if text:
        yield text.row()


class _Text:
    """A text whose end has not come yet."""

    def __init__(self, file: str, unit: str, mark: str) -> None:
        self._file = file
        self._unit = unit
        self._mark = mark
        self._parts: list[str] = []
        self._mends: list[str] = []
        self._first = 1
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, number: int, line: str, mended: str) -> None:
        if not self._parts:
            self._first, self._size = number, 0
        self._parts.append(line)
        self._mends += [mended] if mended else []
        self._size += len(line)
        if self._size > LARGEST:
            raise InputError(
                f"{self._file}:{self._first}: one {self._unit} of over {LARGEST >> 20} million characters; set "
                "unit to a smaller part (paragraph or line), or split the file"
            )

    def row(self) -> Row:
        text = "".join(self._parts)
        if self._unit != "document":
            end = 2 if text.endswith("\r\n") else 1 if text.endswith(("\n", "\r")) else 0
            text = text[: len(text) - end]
        row = Row(self._first, {_COLUMN: text}, "; ".join(self._mends), self._mark)
        self._parts, self._mends = [], []
        return row
