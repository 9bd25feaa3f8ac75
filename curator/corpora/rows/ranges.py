"""Cutting a file into parts that several workers read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import BinaryIO

from curator._errors import InputError
from curator.corpora.rows.byte_source import ByteSource
from curator.corpora.rows.parquet_file import row_groups
from curator.corpora.rows.row_reader import WHOLE, Span

_BLOCK = 1 << 20
# A line of text or JSON is rarely longer.
_NEAR = 1 << 14


def even_cuts(size: int, parts: int) -> list[int]:
    """Places that cut ``size`` bytes into ``parts`` of nearly equal size."""
    return [size * part // parts for part in range(1, parts)]


def line_spans(source: ByteSource, cuts: Sequence[int], *, carriage_returns: bool) -> list[Span]:
    r"""Parts of a file that is not compressed, each of whole lines.

    The file is read once to count its lines; they are not looked at.

    Args:
        source: the file.
        cuts: byte offsets in rising order; each moves on to the next start of a line.
        carriage_returns: whether ``\r`` alone ends a line (text), or only ``\n`` (JSON Lines).

    Returns:
        The parts in order, none of them empty; one that is the whole file when no cut is left.

    Raises:
        InputError: the file cannot be read.
        DependencyError: a hub or a network failed.
    """
    try:
        with source.open() as handle:
            scan = _LineScan(handle, carriage_returns)
            places = [(0, 1)]
            for cut in cuts:
                place = scan.next_start(cut)
                if place is not None and place > places[-1]:
                    places.append(place)
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read ({error.strerror or error})") from error
    ends: list[int | None] = [start for start, _ in places[1:]]
    return [Span(start, end, line) for (start, line), end in zip(places, [*ends, None], strict=True)]


def whole_lines(source: ByteSource, span: Span, *, carriage_returns: bool) -> Span:
    r"""A span of bytes moved on to whole lines: it has those that begin in it, and each line is in one span.

    Only the bytes around its two ends are read.

    Args:
        source: a file that is not compressed.
        span: offsets, anywhere.
        carriage_returns: whether ``\r`` alone ends a line (text), or only ``\n`` (JSON Lines).

    Raises:
        InputError: the file cannot be read.
        DependencyError: a hub or a network failed.
    """
    try:
        with source.open() as handle:
            ends = [
                None if at is None else _line_start(handle, at, carriage_returns) for at in (span.start, span.end)
            ]
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read ({error.strerror or error})") from error
    return Span(ends[0] or 0, ends[1], by_bytes=True)


def _line_start(handle: BinaryIO, offset: int, carriage_returns: bool) -> int:
    """The first start of a line at ``offset`` or after it, or the file's end."""
    if offset <= 0:
        return 0
    # The line before one that starts at the offset ends one byte earlier.
    at = handle.seek(offset - 1)
    while block := handle.read(_NEAR):
        feed = block.find(b"\n")
        back = block.find(b"\r", 0, feed if feed >= 0 else len(block)) if carriage_returns else -1
        if back == len(block) - 1 and handle.read(1) == b"\n":
            return at + back + 2
        if back >= 0 and back + 1 != feed:
            return at + back + 1
        if feed >= 0:
            return at + feed + 1
        at = handle.seek(at + len(block))
    return at


def group_spans(source: ByteSource, parts: int) -> list[Span]:
    """Parts of a Parquet file, each of whole row groups and of nearly equal numbers of rows.

    Raises:
        InputError: not a Parquet file, or damaged.
        DependencyError: a hub or a network failed.
    """
    with source.open() as handle:
        counts = row_groups(handle, source.name)
    total = sum(counts)
    spans: list[Span] = []
    start, first, before = 0, 1, 0
    for group, count in enumerate(counts, start=1):
        before += count
        if before * parts >= total * (len(spans) + 1) and group < len(counts) and before >= first:
            spans.append(Span(start, group, first))
            start, first = group, before + 1
    return [*spans, Span(start, None, first)] if spans else [WHOLE]


class _LineScan:
    """Goes through a file once, counting line ends by blocks."""

    def __init__(self, handle: BinaryIO, carriage_returns: bool) -> None:
        self._size = handle.seek(0, os.SEEK_END)
        handle.seek(0)
        self._handle = handle
        self._returns = carriage_returns
        self._at = 0  # offset of the block
        self._line = 1  # number of the line that the block begins in
        self._block = self._read()

    def next_start(self, offset: int) -> tuple[int, int] | None:
        """The first start of a line at ``offset`` or after it, and its number; ``None`` when there is none.

        Offsets of successive calls do not fall.
        """
        if offset <= 0:
            return None
        while self._block:
            # The line before one that starts at the offset ends one byte earlier.
            end = self._end_of_line(max(offset - 1 - self._at, 0))
            if end >= 0:
                start = self._at + end
                return (start, self._line + self._count(self._block[:end])) if start < self._size else None
            self._line += self._count(self._block)
            self._at += len(self._block)
            self._block = self._read()
        return None

    def _end_of_line(self, at: int) -> int:
        r"""The place behind the first line end at ``at`` or later; -1 when the block has none."""
        feed = self._block.find(b"\n", at)
        if self._returns:
            back = self._block.find(b"\r", at, feed if feed >= 0 else len(self._block))
            if back >= 0 and back + 1 != feed:
                return back + 1
        return feed + 1 if feed >= 0 else -1

    def _count(self, data: bytes) -> int:
        if not self._returns or b"\r" not in data:
            return data.count(b"\n")
        return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")

    def _read(self) -> bytes:
        block = self._handle.read(_BLOCK)
        # A pair \r\n is never cut between two blocks.
        while self._returns and block.endswith(b"\r") and (more := self._handle.read(1)):
            block += more
        return block
