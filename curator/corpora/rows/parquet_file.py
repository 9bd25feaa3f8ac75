"""Parquet files, read in small batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import pyarrow.parquet as pq

from curator.corpora.rows.inflation import TABLE_RATIO, Inflation
from curator.corpora.rows.parquet_pages import plan_group
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
        InputError: not a Parquet file, damaged, or one that expands beyond what a file may.
    """
    try:
        file = _opened(handle, name)
        columns = choose(file.schema_arrow.names)
        inflation = Inflation(name, TABLE_RATIO, handle.seek(0, os.SEEK_END))
        for group in range(groups[0], file.num_row_groups if groups[1] is None else groups[1]):
            facts = file.metadata.row_group(group)
            plan = plan_group(handle, facts, file.schema, columns, name)
            reader = _opened(handle, name, plan.as_names) if plan.as_names else file
            size = min(_batch_size(facts), plan.rows)
            for batch in reader.iter_batches(size, row_groups=[group], columns=columns, use_threads=False):
                yield from batch_rows(batch, number, encoding, inflation)
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


def _opened(handle: BinaryIO, name: str, as_names: Sequence[str] = ()) -> pq.ParquetFile:
    file = pq.ParquetFile(
        handle,
        read_dictionary=list(as_names),
        buffer_size=_BUFFER,
        pre_buffer=False,
        page_checksum_verification=True,
    )
    check_names(file.schema_arrow, name)
    return file


def _batch_size(group: pq.RowGroupMetaData) -> int:
    per_row = max(group.total_byte_size // max(group.num_rows, 1), 1)
    return int(max(1, min(_BATCH_BYTES // per_row, _BATCH_ROWS)))
