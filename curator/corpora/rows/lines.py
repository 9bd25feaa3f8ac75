"""Blocks of bytes cut into lines, however long these are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def newline_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Lines that end at ``\n`` only, with it (JSON Lines; a ``\r`` before it is white space to JSON)."""
    parts: list[bytes] = []
    for block in blocks:
        pieces = block.split(b"\n")
        for piece in pieces[:-1]:
            if not parts:
                yield piece + b"\n"
                continue
            parts += [piece, b"\n"]
            # A line may have hundreds of megabytes: no name here keeps it alive.
            yield _taken(parts)
        if pieces[-1]:
            parts.append(pieces[-1])
    if parts:
        yield _taken(parts)


def text_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Lines that end at ``\n``, ``\r\n`` or ``\r`` and nothing else, with their ends."""
    parts: list[bytes] = []
    for block in blocks:
        # Of bytes, unlike of str, this knows no other line ends.
        pieces = block.splitlines(keepends=True)
        if parts and parts[-1].endswith(b"\r"):
            if pieces and pieces[0] == b"\n":
                parts.append(pieces.pop(0))
            yield b"".join(parts)
            parts = []
        for piece in pieces[:-1]:
            parts.append(piece)
            yield b"".join(parts)
            parts = []
        if pieces:
            parts.append(pieces[-1])
            if pieces[-1].endswith(b"\n"):
                yield b"".join(parts)
                parts = []
    if parts:
        yield b"".join(parts)


def _taken(parts: list[bytes]) -> bytes:
    joined = b"".join(parts)
    parts.clear()
    return joined
