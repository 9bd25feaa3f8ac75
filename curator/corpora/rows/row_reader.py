"""A file of any format as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from curator._errors import InputError
from curator.corpora.reading import Reading
from curator.corpora.rows.arrow_file import arrow_rows
from curator.corpora.rows.byte_source import ByteSource
from curator.corpora.rows.compression import compression_of
from curator.corpora.rows.csv_file import csv_rows
from curator.corpora.rows.detect import HEAD_BYTES, Format, format_of, refuse_table
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.json_file import json_file_rows
from curator.corpora.rows.json_lines import json_line_rows
from curator.corpora.rows.parquet_file import parquet_rows
from curator.corpora.rows.plain_bytes import block_range, plain_blocks
from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.shapes import asked_columns, columns_to_read, has_usual_names, is_explicit
from curator.corpora.rows.text_file import text_rows
from curator.corpora.rows.values import MISSING, value_at


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a file that is read on its own.

    Attributes:
        start: its first byte (JSON Lines and text), or its first row group (Parquet).
        end: the byte or row group after its last; ``None`` to the end.
        first_row: number of the first line or row in it.
        by_bytes: rows are called by the byte that they begin at, not by the number of their line.
    """

    start: int = 0
    end: int | None = None
    first_row: int = 1
    by_bytes: bool = False


WHOLE = Span()


def read_span(source: ByteSource, reading: Reading, span: Span = WHOLE) -> Iterator[Row | Fault]:
    """The rows of a file, or of a part of it, in order.

    Args:
        source: the file.
        reading: how it is read. For a part, its ``format`` is given and not ``auto``.
        span: the part.

    Raises:
        InputError: the file cannot be read at all, or has bytes that are not in its encoding and
            ``encoding_errors`` is ``stop``.
        DependencyError: a hub or a network failed.
    """
    with source.open() as handle:
        encoding = Encoding(source.name, reading.encoding, reading.encoding_errors)
        if span != WHOLE and reading.format in ("jsonl", "text"):
            blocks = block_range(handle, span.start, span.end, source.name)
            # A mark can only be at the start of a file; in other parts U+FEFF is a character.
            utf8 = encoding.utf8_blocks(blocks) if span.start == 0 else blocks
            yield from _line_rows(utf8, encoding, reading, span)
            return
        head, blocks = _with_head(plain_blocks(handle, source.name), HEAD_BYTES if reading.format == "auto" else 1)
        kind: Format = format_of(source.name, head) if reading.format == "auto" else reading.format
        if kind in ("parquet", "arrow"):
            yield from _table_rows(handle, source.name, kind, reading, span)
            return
        refuse_table(source.name, head, kind)
        reading = reading.model_copy(update={"format": kind})
        yield from _line_rows(encoding.utf8_blocks(blocks), encoding, reading, span)


def sniffed_reading(source: ByteSource, reading: Reading) -> tuple[Reading, bool]:
    """The reading with the file's format in it, and whether its bytes are UTF-8 that is not compressed.

    Raises:
        InputError: the file cannot be read, or its format is not clear.
        DependencyError: a hub or a network failed.
    """
    with source.open() as handle:
        plain = not compression_of(handle.read(10))
        handle.seek(0)
        head, _ = _with_head(plain_blocks(handle, source.name), HEAD_BYTES)
    kind = format_of(source.name, head) if reading.format == "auto" else reading.format
    utf8 = Encoding(source.name, reading.encoding).is_utf8(head)
    return reading.model_copy(update={"format": kind}), plain and utf8


def _line_rows(blocks: Iterator[bytes], encoding: Encoding, reading: Reading, span: Span) -> Iterator[Row | Fault]:
    if reading.format == "jsonl":
        return json_line_rows(blocks, encoding, first=span.first_row, offset=span.start, by_bytes=span.by_bytes)
    if reading.format == "json":
        return json_file_rows(blocks, encoding, lambda values: _is_row(values, reading))
    if reading.format in ("csv", "tsv"):
        return csv_rows(blocks, encoding, "\t" if reading.format == "tsv" else None)
    rows = text_rows(
        blocks, encoding, reading.unit, first=span.first_row, offset=span.start, by_bytes=span.by_bytes
    )
    return iter(rows)


def _table_rows(handle: BinaryIO, name: str, kind: Format, reading: Reading, span: Span) -> Iterator[Row | Fault]:
    handle.seek(0)
    if compressed := compression_of(handle.read(10)):
        raise InputError(
            f"{name}: a table inside {compressed} data cannot be read in parts; decompress the file first"
        )
    handle.seek(0)
    encoding, choose = reading.encoding, partial(columns_to_read, reading=reading)
    if kind == "arrow":
        return arrow_rows(handle, name, encoding, choose)
    groups = (span.start, span.end)
    return parquet_rows(handle, name, encoding, choose, groups=groups, number=span.first_row)


def _with_head(blocks: Iterator[bytes], least: int) -> tuple[bytes, Iterator[bytes]]:
    """The first ``least`` bytes or more (fewer in a shorter file), and all blocks."""
    taken: list[bytes] = []
    size = 0
    for block in blocks:
        taken.append(block)
        size += len(block)
        # The start of a second line tells enough: no more is asked of a slow source.
        if size >= least or b"\n" in b"".join(taken).strip():
            break
    return b"".join(taken), itertools.chain(taken, blocks)


def _is_row(values: dict[str, Any], reading: Reading) -> bool:
    if is_explicit(reading):
        return any(value_at(values, path) is not MISSING for path in asked_columns(reading))
    return has_usual_names(values)
