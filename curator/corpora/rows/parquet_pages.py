"""How large a Parquet file's values may become, before any of them is read.

A value that is named once can stand in a million rows: the sizes that the file tells are those of the names.
Format: https://github.com/apache/parquet-format (PageHeader, in Thrift's compact protocol).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow.parquet as pq

from curator.corpora.rows.inflation import FREE_BYTES, TABLE_RATIO, Inflation

# Values of a batch, written out.
_BATCH_BYTES = 128 << 20
_HEADER = 64
_NAMES = {"RLE_DICTIONARY", "PLAIN_DICTIONARY"}
# Each value may begin with all of the one before.
_PREFIXES = "DELTA_BYTE_ARRAY"


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """How a row group is read.

    Attributes:
        rows: the most rows of a batch.
        as_names: paths of columns that are to be read as dictionaries, because a single row may hold any number of
            their values.
    """

    rows: int
    as_names: tuple[str, ...]


def plan_group(
    handle: BinaryIO, group: pq.RowGroupMetaData, schema: pq.ParquetSchema, columns: Sequence[str], name: str
) -> GroupPlan:
    """Look at the columns that are to be read.

    Args:
        handle: the file; its place is kept.
        group: the row group.
        schema: of the file.
        columns: names of the top-level columns that are read.
        name: what errors call the file.

    Raises:
        InputError: a column says of itself that it expands beyond what a file may.
    """
    place = handle.tell()
    rows, as_names = group.num_rows, []
    for chunk, nested in _text_chunks(group, schema, columns):
        _check(chunk, name)
        largest = _largest_value(handle, chunk, name)
        if largest and nested:
            as_names.append(chunk.path_in_schema)
        elif largest:
            rows = min(rows, max(1, _BATCH_BYTES // largest))
    handle.seek(place)
    return GroupPlan(max(1, rows), tuple(as_names))


def _text_chunks(
    group: pq.RowGroupMetaData, schema: pq.ParquetSchema, columns: Sequence[str]
) -> Iterator[tuple[pq.ColumnChunkMetaData, bool]]:
    """Column chunks of these columns, and whether a row may hold several of their values."""
    wanted = set(columns)
    for index in range(group.num_columns):
        chunk = group.column(index)
        path = chunk.path_in_schema
        # A name may hold a dot, which a path does not tell from a step.
        if path in wanted or any(path.startswith(f"{column}.") for column in wanted):
            yield chunk, schema.column(index).max_repetition_level > 0


def _check(chunk: pq.ColumnChunkMetaData, name: str) -> None:
    """Refuse what the file's own figures refuse: a page is unpacked whole, and a level takes some bytes."""
    stored = Inflation(f"{name}, column {chunk.path_in_schema}", TABLE_RATIO, chunk.total_compressed_size)
    stored.add(max(chunk.total_uncompressed_size, 4 * chunk.num_values if chunk.num_values > FREE_BYTES else 0))


def _largest_value(handle: BinaryIO, chunk: pq.ColumnChunkMetaData, name: str) -> int:
    """Bytes that one value may have although the rows do not hold them; 0 where each row holds its own."""
    if chunk.physical_type not in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"):
        return 0
    if _PREFIXES in chunk.encodings:
        return int(chunk.total_uncompressed_size)
    if not _NAMES & set(chunk.encodings):
        return 0
    # Some writers do not say where the dictionary is: it comes before the data.
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    handle.seek(start)
    sizes = page_sizes(handle.read(_HEADER))
    if sizes is None:
        return int(chunk.total_uncompressed_size)
    unpacked, stored = sizes
    Inflation(f"{name}, column {chunk.path_in_schema}", TABLE_RATIO, stored).add(unpacked)
    return max(unpacked, 1)


def page_sizes(header: bytes) -> tuple[int, int] | None:
    """Unpacked and stored size of a page, from the beginning of its header; ``None`` for anything else."""
    at, number = 0, 0
    found: list[int] = []
    try:
        while len(found) < 3:
            byte = header[at]
            step, kind = byte >> 4, byte & 15
            number += step
            # type, uncompressed_page_size and compressed_page_size are fields 1 to 3, and 32-bit numbers.
            if kind != 5 or step == 0 or number != len(found) + 1:
                return None
            value, at = _varint(header, at + 1)
            found.append((value >> 1) ^ -(value & 1))
    except IndexError:
        return None
    return (found[1], found[2]) if min(found[1:]) >= 0 else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
