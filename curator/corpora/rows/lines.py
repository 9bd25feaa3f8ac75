"""Blocks of bytes cut into lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from curator._errors import InputError

# A line is held in memory two or three times while it is read.
LONGEST = 384 << 20


def newline_lines(blocks: Iterable[bytes], name: str) -> Iterator[bytes]:
    r"""Lines that end at ``\n`` only, with it (JSON Lines; a ``\r`` before it is white space to JSON).

    Args:
        blocks: the bytes.
        name: what errors call the file.

    Raises:
        InputError: a line of more than 384 MB.
    """
    started = _Started(name)
    for block in blocks:
        pieces = block.split(b"\n")
        for piece in pieces[:-1]:
            if not started:
                yield piece + b"\n"
                continue
            started.add(piece)
            started.add(b"\n")
            yield started.taken()
        started.add(pieces[-1])
    if started:
        yield started.taken()


def text_lines(blocks: Iterable[bytes], name: str) -> Iterator[bytes]:
    r"""Lines that end at ``\n``, ``\r\n`` or ``\r`` and nothing else, with their ends.

    Args:
        blocks: the bytes.
        name: what errors call the file.

    Raises:
        InputError: a line of more than 384 MB.
    """
    started = _Started(name)
    for block in blocks:
        # Of bytes, unlike of str, this knows no other line ends.
        pieces = block.splitlines(keepends=True)
        if pieces and started.ends_with(b"\r"):
            if pieces[0] == b"\n":
                started.add(pieces.pop(0))
            yield started.taken()
        for piece in pieces[:-1]:
            started.add(piece)
            yield started.taken()
        # A return that ends a block may belong to a line feed in the next.
        if pieces:
            started.add(pieces[-1])
        if started.ends_with(b"\n"):
            yield started.taken()
    if started:
        yield started.taken()


class _Started:
    """A line whose end has not come yet."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[bytes] = []
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, part: bytes) -> None:
        if part:
            self._parts.append(part)
            self._size += len(part)
            if self._size > LONGEST:
                raise InputError(
                    f"{self._name}: a line of over {LONGEST >> 20} MB; is the format right? Break the line, "
                    "or set format"
                )

    def ends_with(self, end: bytes) -> bool:
        return bool(self._parts) and self._parts[-1].endswith(end)

    def taken(self) -> bytes:
        """The line so far; a caller that hands it on does not keep it alive."""
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return line
