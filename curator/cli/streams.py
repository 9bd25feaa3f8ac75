"""Standard streams that take every text, closed ones and narrow encodings included."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUTPUT = "standard output"
"""What errors of standard output name, in the place of a file."""


class _Output(io.FileIO):
    """Standard output, whose errors say that they are its own.

    Args:
        closed: there was none at the start; what is written fails, as it would have there.
    """

    def __init__(self, *, closed: bool) -> None:
        super().__init__(1, "w", closefd=False)
        self.missing = closed

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some of ``data``."""
        try:
            if self.missing:
                raise OSError(errno.EBADF, "closed")
            return super().write(data) or 0
        except OSError as error:
            error.filename = OUTPUT
            raise


def prepare() -> None:
    """Open closed streams, name standard output in its errors, and show what an encoding lacks as an escape."""
    # In this order: the system gives the lowest free number, and no other file may get one of these three.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # A stream that was closed at the start is None, whatever its declared type.
    given = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(closed=given is None)),
        encoding=given.encoding if given else "utf-8",
        errors="backslashreplace",
        line_buffering=given.isatty() if given else False,
    )
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def discard(stream: TextIO) -> None:
    """Lead a stream that cannot be written to nowhere, so that Python's last flush of it succeeds."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if isinstance(raw, _Output):
        raw.missing = False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
