"""Parquet files, read in small batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow.parquet as pq

from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.table_rows import DAMAGE, Choose, batch_rows, check_names, damaged

_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096
# Column chunks are read through a buffer of this size, not as a whole.
_BUFFER = 1 << 20


def parquet_rows(
    handle: BinaryIO,
    name: str,
    encoding: str,
    choose: Choose,
    *,
    groups: tuple[int, int | None] = (0, None),
    number: int = 1,
) -> Iterator[Row | Fault]:
    """The rows of a Parquet file.

    Args:
        handle: the file, seekable.
        name: what errors call it.
        encoding: how binary values are read.
        choose: the columns to read.
        groups: the first row group, and the one after the last (``None``: the end).
        number: number of the first row.

    Raises:
        InputError: not a Parquet file, or damaged.
    """
    try:
        file = _opened(handle, name)
        columns = choose(file.schema_arrow.names)
        for group in range(groups[0], file.num_row_groups if groups[1] is None else groups[1]):
            size = _batch_size(file.metadata.row_group(group))
            batches = file.iter_batches(size, row_groups=[group], columns=columns, use_threads=False)
            for batch in batches:
                yield from batch_rows(batch, number, encoding)
                number += batch.num_rows
    except DAMAGE as error:
        raise damaged(name, "Parquet", error) from error


def row_groups(handle: BinaryIO, name: str) -> list[int]:
    """The number of rows of each row group.

    Raises:
        InputError: not a Parquet file, or damaged.
    """
    try:
        metadata = _opened(handle, name).metadata
        return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    except DAMAGE as error:
        raise damaged(name, "Parquet", error) from error


def _opened(handle: BinaryIO, name: str) -> pq.ParquetFile:
    file = pq.ParquetFile(handle, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True)
    check_names(file.schema_arrow, name)
    return file


def _batch_size(group: pq.RowGroupMetaData) -> int:
    per_row = max(group.total_byte_size // max(group.num_rows, 1), 1)
    return int(max(1, min(_BATCH_BYTES // per_row, _BATCH_ROWS)))
