"""CSV and TSV: fields exactly as they are, without guesses about types or missing values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from curator._errors import InputError
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.lines import text_lines
from curator.corpora.rows.records import Fault, Row

# Longer quoted text is an open quote that runs through the file.
_LONGEST = 64 << 20
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(slots=True)
class _Record:
    """One record; ``fault`` says why it cannot be used."""

    number: int
    fields: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    fault: str = ""


def csv_rows(blocks: Iterable[bytes], encoding: Encoding, delimiter: str | None) -> Iterator[Row | Fault]:
    r"""The records below the header, by its names; their number is that of the line they begin on.

    RFC 4180, which TSV files follow here too: a field that begins with a quote ends at the next single quote, two
    quotes in it are one, and line ends in it stay as they are. A quote within another field is a character.
    Records end at ``\n``, ``\r\n`` or ``\r``; empty lines are no records. A first column without a name (a
    table's index) is read but cannot be asked for.

    Args:
        blocks: UTF-8, as `Encoding.utf8_blocks` gives it.
        encoding: decodes the lines.
        delimiter: ``None`` tells it from the header: a comma, or where that has none a semicolon, tab or bar.

    Raises:
        InputError: a quote that is not closed (names the line it opens on), a header with a name missing or
            twice, or bytes that are not in the encoding, when the encoding says that this stops the run.
    """
    records = _records(blocks, encoding, delimiter)
    header = next(records, None)
    if header is None:
        return
    _check_header(header, encoding.file)
    names = header.fields
    for record in records:
        if record.fault:
            yield Fault(record.number, "stray quote", record.fault)
        elif len(record.fields) != len(names):
            detail = (
                f"{len(record.fields)} fields, the header has {len(names)}; quote fields that hold the delimiter"
            )
            yield Fault(record.number, "wrong number of fields", detail)
        else:
            yield Row(record.number, dict(zip(names, record.fields, strict=True)), "; ".join(record.mended))


def _records(blocks: Iterable[bytes], encoding: Encoding, delimiter: str | None) -> Iterator[_Record]:
    open_field: _OpenField | None = None
    record = _Record(0)
    offset = 0
    for number, line in enumerate(text_lines(blocks, encoding.file), start=1):
        text, mended = encoding.text(line, number, offset)
        offset += len(line)
        delimiter = delimiter or _delimiter(text)
        if open_field is None:
            if text in ("\n", "\r\n", "\r"):
                continue
            record = _Record(number)
        record.mended += [mended] if mended else []
        if open_field is None and '"' not in text:
            record.fields = _without_end(text).split(delimiter)
        else:
            open_field = _continued(record, open_field, text, number, delimiter, encoding.file)
        if open_field is None:
            yield record
    if open_field is not None:
        raise _unclosed(encoding.file, open_field, "the end of the file")


@dataclass(slots=True)
class _OpenField:
    """A quoted field whose closing quote has not come yet."""

    line: int
    parts: list[str] = field(default_factory=list)
    length: int = 0


def _continued(
    record: _Record, opened: _OpenField | None, text: str, number: int, delimiter: str, file: str
) -> _OpenField | None:
    """Read a line into ``record``; the field that is still open at its end, if any."""
    at = 0
    while True:
        if opened is None and not text.startswith('"', at):
            end = text.find(delimiter, at)
            record.fields.append(text[at:end] if end >= 0 else _without_end(text[at:]))
            if end < 0:
                return None
            at = end + 1
            continue
        if opened is None:
            opened, at = _OpenField(number), at + 1
        at = _close(opened, text, at)
        if at < 0:
            if opened.length > _LONGEST:
                raise _unclosed(file, opened, f"{_LONGEST >> 20} million characters on")
            return opened
        record.fields.append("".join(opened.parts))
        rest = text[at : at + 1]
        if rest not in (delimiter, "", "\n", "\r"):
            if opened.line != number:
                raise _unclosed(file, opened, f"line {number}, where text follows the next quote")
            record.fault = "text behind a closing quote; write a quote inside a quoted field twice"
            return None
        if rest != delimiter:
            return None
        opened, at = None, at + 1


def _close(opened: _OpenField, text: str, at: int) -> int:
    """Add the field's text from ``at`` on; the place behind its closing quote, -1 when it is not on this line."""
    while True:
        quote = text.find('"', at)
        part = text[at:quote] if quote >= 0 else text[at:]
        opened.parts.append(part)
        opened.length += len(part)
        if quote < 0:
            return -1
        if not text.startswith('"', quote + 1):
            return quote + 1
        opened.parts.append('"')
        at = quote + 2


def _unclosed(file: str, opened: _OpenField, until: str) -> InputError:
    return InputError(
        f"{file}:{opened.line}: a quote opens here and is not closed by {until}; close it, or write the whole "
        "field in quotes with each quote inside twice"
    )


def _delimiter(header: str) -> str:
    return next((mark for mark in _DELIMITERS if mark in header), ",")


def _check_header(header: _Record, file: str) -> None:
    if header.fault:
        raise InputError(f"{file}:{header.number}: the header has {header.fault}")
    for place, name in enumerate(header.fields, start=1):
        if not name.strip() and place > 1:
            raise InputError(
                f"{file}:{header.number}: column {place} has no name; the first line names the columns"
            )
        if header.fields.count(name) > 1:
            raise InputError(f"{file}:{header.number}: two columns are called {name!r}; rename one")


def _without_end(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text
