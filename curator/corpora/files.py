"""Local files as a text source."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from curator._errors import InputError
from curator.corpora.corpus import Corpus
from curator.corpora.file_patterns import FoundFile, find_files, passed_over
from curator.corpora.fingerprint import content_id
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import Labels, LocalFile
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.rows.ranges import even_cuts, group_spans, line_spans
from curator.corpora.rows.resolve import resolve_reading
from curator.corpora.rows.row_reader import WHOLE, Span, sniffed_reading

# Of a text that nothing describes: English prose.
CHARS_PER_TOKEN = 4.0
SPLIT_ABOVE = 64 << 20
"""Files of more bytes than this are split."""
_PART = 1 << 20


def open_files(
    patterns: Sequence[str],
    folder: Path,
    reading: Reading,
    *,
    task: str,
    language: str = "und",
    licence: str = "unknown",
    parts: int = 1,
    lazy: bool = False,
    hashed: bool = True,
    split_above: int = SPLIT_ABOVE,
) -> Corpus:
    """Open local files: each is looked at, and its columns are decided by its first rows.

    Args:
        patterns: paths, folders and patterns, as `find_files` takes them.
        folder: what they are relative to: that of the recipe.
        reading: how the files are read.
        task: task type of the documents.
        language: BCP 47 tag of rows that do not say theirs.
        licence: SPDX expression of rows that do not say theirs.
        parts: about how many shards big files give together; the documents are the same for any number.
        lazy: in place of ``parts``, cut what can be cut into parts of a megabyte, if the files together have more
            bytes than ``split_above``: what is never asked for is never read. Rows of such parts are called by the
            byte that they begin at.
        hashed: store each file's SHA-256 as its documents' revision, which reads it once more.
        split_above: files of more bytes are split.

    Raises:
        InputError: no such file, or one that cannot be read as the recipe says.
    """
    labels = Labels(", ".join(patterns), "", "", "", task, language, licence, suffix=reading.suffix())
    files = find_files(patterns, folder)
    sizes = [_size(file) for file in files]
    big = sum(size for size in sizes if size > split_above)
    by_bytes = lazy and sum(sizes) > split_above
    shards, notes = list[FileShard](), passed_over(patterns, folder, files)
    for file, size in zip(files, sizes, strict=True):
        source = LocalFile(file.path, file.name).stamped()
        resolved, told = resolve_reading(source, reading)
        notes += told
        count = -(-size // _PART) if by_bytes else round(parts * size / big) if size > split_above else 1
        shards += _shards(source, resolved, _labels(labels, file, hashed), size, count, by_bytes=by_bytes)
    return Corpus(labels.corpus, task, licence, CHARS_PER_TOKEN, tuple(shards), notes=tuple(notes))


def _labels(common: Labels, file: FoundFile, hashed: bool) -> Labels:
    revision = content_id(file.path) if hashed else ""
    unit = f"file:{file.name}"
    return replace(common, prefix=file.name, file=file.name, unit=unit, revision=revision)


def _size(file: FoundFile) -> int:
    try:
        return os.stat(file.path).st_size
    except OSError as error:
        raise InputError(f"{file.name}: cannot be read ({error.strerror or error})") from error


def _shards(
    source: LocalFile, reading: Reading, labels: Labels, size: int, parts: int, *, by_bytes: bool
) -> list[FileShard]:
    spans: list[Span] = [WHOLE]
    if parts > 1:
        reading, plain = sniffed_reading(source, reading)
        if reading.format == "parquet":
            spans = group_spans(source, parts)
        elif plain and (reading.format == "jsonl" or (reading.format == "text" and reading.unit == "line")):
            spans = (
                _byte_spans(size, parts)
                if by_bytes
                else line_spans(source, even_cuts(size, parts), carriage_returns=reading.format == "text")
            )
    return [
        FileShard(
            source,
            reading,
            labels,
            start=span.start,
            end=span.end,
            first_row=span.first_row,
            size=span.end - span.start if span.by_bytes and span.end else size // len(spans),
            by_bytes=span.by_bytes,
            resolved=True,
        )
        for span in spans
    ]


def _byte_spans(size: int, parts: int) -> list[Span]:
    edges = [0, *even_cuts(size, parts), size]
    return [Span(start, end, by_bytes=True) for start, end in itertools.pairwise(edges)]
