"""The messages of an Arrow stream, looked at before the library unpacks them.

A compressed buffer begins with the size that it unpacks to, and that much memory is taken at once. Format:
https://arrow.apache.org/docs/format/Columnar.html (encapsulated messages; Message.fbs in flatbuffers).
"""

from __future__ import annotations

import struct
from typing import BinaryIO

import pyarrow as pa

from curator.corpora.rows.inflation import Inflation

_CONTINUES = 0xFFFFFFFF
_DICTIONARY, _RECORDS = 2, 3
# A header has some bytes a column; this is a damaged length.
_LARGEST_HEADER = 64 << 20


def check_next(handle: BinaryIO, inflation: Inflation) -> None:
    """Look at the messages up to and with the next batch of records; the place in the file is kept.

    Args:
        handle: where a message begins.
        inflation: counts what the buffers unpack to.

    Raises:
        InputError: they unpack to more than the file may.
        pa.ArrowInvalid: no message.
    """
    place = handle.tell()
    while True:
        header = _header(handle)
        if header is None:
            break
        kind, table, body = _message(header)
        start = handle.tell()
        if kind == _DICTIONARY:
            table = _child(header, table, 1)
        if kind in (_DICTIONARY, _RECORDS):
            _check_buffers(handle, header, table, start, inflation)
        handle.seek(start + body)
        if kind == _RECORDS:
            break
    handle.seek(place)


def _header(handle: BinaryIO) -> bytes | None:
    prefix = handle.read(8)
    if len(prefix) < 8:
        return None
    mark, size = struct.unpack("<II", prefix)
    if mark != _CONTINUES or size == 0:
        return None
    if size > _LARGEST_HEADER:
        raise pa.ArrowInvalid(f"a message header of {size} bytes")
    return handle.read(size)


def _message(header: bytes) -> tuple[int, int, int]:
    """Kind of a message, place of its table, and bytes of its body."""
    try:
        root = struct.unpack_from("<I", header)[0]
        kind_at, body_at = _field(header, root, 1), _field(header, root, 3)
        kind = header[kind_at] if kind_at else 0
        body = struct.unpack_from("<q", header, body_at)[0] if body_at else 0
        return kind, _child(header, root, 2), max(0, int(body))
    except (struct.error, IndexError) as error:
        raise pa.ArrowInvalid("a message header that is cut") from error


def _check_buffers(handle: BinaryIO, header: bytes, table: int, start: int, inflation: Inflation) -> None:
    """Count what each buffer of a batch of records unpacks to."""
    try:
        if not table or not _field(header, table, 3):
            return
        listed = _child(header, table, 2)
        count = struct.unpack_from("<I", header, listed)[0] if listed else 0
        places = [struct.unpack_from("<qq", header, listed + 4 + 16 * index) for index in range(count)]
    except struct.error as error:
        raise pa.ArrowInvalid("a message header that is cut") from error
    for offset, length in places:
        if length < 8 or offset < 0:
            continue
        handle.seek(start + offset)
        size = handle.read(8)
        # -1: this buffer was not worth packing.
        inflation.add(max(struct.unpack("<q", size)[0], length) if len(size) == 8 else 0)


def _field(data: bytes, table: int, number: int) -> int:
    """Place of a table's field, 0 where it is left out."""
    entries = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, entries)[0]
    slot = 4 + 2 * number
    offset = struct.unpack_from("<H", data, entries + slot)[0] if slot < size else 0
    return table + offset if offset else 0


def _child(data: bytes, table: int, number: int) -> int:
    """Place of the table or list that a field leads to, 0 where it is left out."""
    place = _field(data, table, number)
    return place + struct.unpack_from("<I", data, place)[0] if place else 0
