"""Plain text: a file, its paragraphs or its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from curator._errors import InputError
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.lines import text_lines
from curator.corpora.rows.records import Row

LARGEST = 256 << 20
_COLUMN = "text"


def text_rows(
    blocks: Iterable[bytes],
    encoding: Encoding,
    unit: Literal["document", "paragraph", "line"],
    *,
    first: int = 1,
    offset: int = 0,
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

    Raises:
        InputError: bytes that are not in the encoding, when the encoding says that this stops the run; a text of
            more than 256 MB.
    """
    parts: list[str] = []
    mends: list[str] = []
    size = 0
    for number, line in enumerate(text_lines(blocks), start=first):
        text, mended = encoding.text(line, number, offset)
        offset += len(line)
        if unit != "document" and not text.strip():
            if parts:
                yield _row(first, parts, mends, unit)
            parts, mends, first, size = [], [], number + 1, 0
            continue
        parts.append(text)
        mends += [mended] if mended else []
        size += len(line)
        if size > LARGEST:
            raise InputError(
                f"{encoding.file}:{first}: one {unit} of over {LARGEST >> 20} MB; set unit to a smaller part "
                "(paragraph or line), or split the file"
            )
        if unit == "line":
            yield _row(number, parts, mends, unit)
            parts, mends, first, size = [], [], number + 1, 0
    if parts:
        yield _row(first, parts, mends, unit)


def _row(number: int, parts: list[str], mends: list[str], unit: str) -> Row:
    text = "".join(parts)
    if unit != "document":
        text = text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text
    return Row(number, {_COLUMN: text}, "; ".join(mends))
