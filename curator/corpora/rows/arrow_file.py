"""Arrow IPC files and streams."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from curator.corpora.rows.arrow_messages import check_next
from curator.corpora.rows.inflation import TABLE_RATIO, Inflation
from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.table_rows import DAMAGE, Choose, batch_rows, check_names, damaged

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
# The first mark is padded to eight bytes.
_STREAM_START = 8


def arrow_rows(handle: BinaryIO, name: str, encoding: str, choose: Choose) -> Iterator[Row | Fault]:
    """The rows of an Arrow file or stream, told apart by the first bytes.

    Args:
        handle: the file at its start, seekable.
        name: what errors call it.
        encoding: how binary values are read.
        choose: the columns to read.

    Raises:
        InputError: not an Arrow file, damaged, or one that expands beyond what a file may.
    """
    number = 1
    try:
        inflation = Inflation(name, TABLE_RATIO, handle.seek(0, os.SEEK_END))
        handle.seek(0)
        # A file is a stream between two marks. Its index of messages is not used: it may lead anywhere.
        is_file = handle.read(len(FILE_MAGIC)) == FILE_MAGIC
        handle.seek(_STREAM_START if is_file else 0)
        for batch in _batches(handle, inflation):
            check_names(batch.schema, name)
            yield from batch_rows(batch.select(choose(batch.schema.names)), number, encoding, inflation)
            number += batch.num_rows
    except DAMAGE as error:
        raise damaged(name, "Arrow", error) from error


def _batches(handle: BinaryIO, inflation: Inflation) -> Iterator[pa.RecordBatch]:
    with pa.ipc.open_stream(handle) as reader:
        while True:
            check_next(handle, inflation)
            try:
                yield reader.read_next_batch()
            except StopIteration:
                return
