"""Arrow IPC files and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from curator.corpora.rows.records import Fault, Row
from curator.corpora.rows.table_rows import DAMAGE, Choose, batch_rows, check_names, damaged

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"


def arrow_rows(handle: BinaryIO, name: str, encoding: str, choose: Choose) -> Iterator[Row | Fault]:
    """The rows of an Arrow file or stream, told apart by the first bytes.

    Args:
        handle: the file at its start, seekable.
        name: what errors call it.
        encoding: how binary values are read.
        choose: the columns to read.

    Raises:
        InputError: not an Arrow file, or damaged.
    """
    number = 1
    try:
        is_file = handle.read(len(FILE_MAGIC)) == FILE_MAGIC
        handle.seek(0)
        for batch in _file(handle) if is_file else _stream(handle):
            check_names(batch.schema, name)
            yield from batch_rows(batch.select(choose(batch.schema.names)), number, encoding)
            number += batch.num_rows
    except DAMAGE as error:
        raise damaged(name, "Arrow", error) from error


def _file(handle: BinaryIO) -> Iterator[pa.RecordBatch]:
    with pa.ipc.open_file(handle) as reader:
        for index in range(reader.num_record_batches):
            yield reader.get_batch(index)


def _stream(handle: BinaryIO) -> Iterator[pa.RecordBatch]:
    with pa.ipc.open_stream(handle) as reader:
        yield from reader
