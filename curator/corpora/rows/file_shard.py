"""A file, or a part of one, as documents."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from curator._errors import InputError
from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.byte_source import ByteSource, Labels, LocalFile
from curator.corpora.rows.own import own_language, own_licence, own_task
from curator.corpora.rows.ranges import whole_lines
from curator.corpora.rows.records import Fault, Mended, Row, UnusableError
from curator.corpora.rows.resolve import resolve_rows, sample
from curator.corpora.rows.row_reader import Span, read_span
from curator.corpora.rows.shapes import Content
from curator.corpora.rows.undecoded import row_content

# Characters of a row's own id that are kept.
_SHOWN_ID = 80


@dataclass(frozen=True, slots=True)
class FileShard:
    """A part of a source (see `Shard`): a file, some of its bytes or some of its row groups.

    Attributes:
        source: the file.
        reading: how it is read.
        labels: what its documents have in common.
        start: the first byte (JSON Lines and text by lines), or the first row group (Parquet).
        end: the byte or row group after the last; ``None`` to the end.
        first_row: number of the first line or row.
        skip: pass over this many rows first.
        limit: read at most this many rows, good or bad; ``None`` reads all.
        size: see `Shard`.
        by_bytes: the part begins with the first line at ``start`` or after it and ends before the first one at
            ``end`` or after it; rows are called by the byte that they begin at, since nobody counted the lines.
        resolved: ``reading`` comes from `resolve_reading`; otherwise the shard's own first rows decide which
            column is the text, where neither recipe nor usual names do.
    """

    source: ByteSource
    reading: Reading
    labels: Labels
    start: int = 0
    end: int | None = None
    first_row: int = 1
    skip: int = 0
    limit: int | None = None
    size: int = 0
    by_bytes: bool = False
    resolved: bool = False

    def window(self, skip: int, rows: int) -> FileShard:
        """Some of its rows: at most ``rows`` behind the first ``skip``."""
        left = rows if self.limit is None else max(min(rows, self.limit - skip), 0)
        return dataclasses.replace(self, skip=self.skip + skip, limit=left)

    def records(self) -> Iterator[Document | BadRow]:
        """See `Shard`. A `Mended` row comes just before its document.

        Raises:
            InputError: the file cannot be read at all or changed since it was stamped, or the recipe says that a
                bad row or byte stops the run.
            DependencyError: a hub or a network failed.
        """
        self._check_unchanged()
        yield from self._records()
        self._check_unchanged()

    def _check_unchanged(self) -> None:
        # What a hub holds under a commit does not change.
        if isinstance(self.source, LocalFile):
            self.source.check_unchanged()

    def _records(self) -> Iterator[Document | BadRow]:
        span = Span(self.start, self.end, self.first_row)
        if self.by_bytes:
            span = whole_lines(self.source, span, carriage_returns=self.reading.format == "text")
        stop = None if self.limit is None else self.skip + self.limit
        rows: Iterator[Row | Fault] = itertools.islice(read_span(self.source, self.reading, span), self.skip, stop)
        reading = self.reading
        if not self.resolved:
            head = list(sample(rows))
            reading, _ = resolve_rows(self.source.name, reading, head)
            rows = itertools.chain(head, rows)
        for row in rows:
            where = f"{self.source.name}{row.mark}{row.number}"
            record, mended = self._record(where, row, reading)
            if isinstance(record, BadRow) and reading.bad_rows == "stop":
                raise InputError(f"{record.where}: {record.detail}")
            if mended:
                yield Mended(where, "mended and kept", mended)
            yield record

    def _record(self, where: str, row: Row | Fault, reading: Reading) -> tuple[Document | BadRow, str]:
        """The row's document, and what was mended for it in words; or what is wrong with it."""
        if isinstance(row, Fault):
            return BadRow(where, row.reason, row.detail), ""
        try:
            content, mended = row_content(row, reading, where)
            return self._document(row, content, reading.columns), mended
        except UnusableError as error:
            return BadRow(where, error.reason, str(error)), ""
        except RecursionError:
            return BadRow(where, "nested too deeply", "a value is nested too deeply; write a flatter row"), ""

    def _document(self, row: Row, content: Content, columns: Columns) -> Document:
        labels = self.labels
        return Document(
            id=f"{labels.prefix}{'@' if self.by_bytes else '#'}{row.number}{labels.suffix}",
            corpus=labels.corpus,
            unit=labels.unit,
            task=own_task(row.values, columns.task) or labels.task,
            language=own_language(row.values, columns.language) or labels.language,
            licence=own_licence(row.values, columns.licence) or labels.licence,
            text=content.text,
            messages=content.messages,
            tools=content.tools,
            revision=labels.revision,
            file=labels.file,
            row=None if self.by_bytes else row.number,
            row_id=_row_id(row),
        )


def _row_id(row: Row) -> str:
    """The row's own id, for people to find it by; empty when it has none."""
    value = row.values.get("id")
    is_id = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
    return without_surrogates(str(value))[:_SHOWN_ID] if is_id else ""
