"""Reading a server's log while it grows: what it is at, and what went wrong."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path

# "[2026-11-30 07:34:38 TP0] ", and the coloured level of the web server.
_STAMP = re.compile(r"^(\[[^\]]*\]\s*)?(\x1b\[[0-9;]*m)*")
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit)(:|$)")
# How argparse ends: "start_server.py: error: unrecognized arguments: --x".
_USAGE = re.compile(r"^[\w.-]+: error: ")
_OTHER = re.compile(r"^(ERROR|CRITICAL|FATAL)\b|CUDA (error|out of memory)|^(Killed|Segmentation fault)")
# What dies because something else did: the cause stands before them.
_CONSEQUENCES = re.compile(
    r"^(EOFError|BrokenPipeError|KeyboardInterrupt|SystemExit|ConnectionResetError|ProcessLookupError|"
    # Its request to itself while it starts, too early.
    r"ConnectionRefusedError|(urllib3|requests)\.exceptions\.\w+|"
    r"(asyncio\.(exceptions\.)?)?CancelledError|subprocess\.CalledProcessError)"
)
# What libraries complain of when Python ends in the middle of something: of no use to anybody who ended it.
_ENDING = re.compile(
    r"^(nanobind: |- leaked |- \.\.\. skipped|See https://nanobind|.*resource_tracker: |warnings\.warn\(|"
    r"SIGTERM received|Gracefully exiting)"
)
_PHASES = (
    ("server_args=", "it reads the model's configuration"),
    ("Load weight begin", "it loads the weights"),
    ("Load weight end", "it has the weights and makes its caches"),
    ("Capture cuda graph begin", "it captures CUDA graphs"),
    ("Application startup complete", "it warms up"),
)
_SHOWN = 300
_TAIL = 200_000


def plain(line: str) -> str:
    """A log line without time and colours."""
    return _STAMP.sub("", line.strip()).strip()


def phase_of(line: str) -> str | None:
    """What a starting server is at, in words, when the line tells."""
    return next((words for sign, words in _PHASES if sign in line), None)


def error_in(line: str) -> str | None:
    """The error that a line tells, at most 300 characters, or ``None``."""
    text = plain(line)
    is_error = _EXCEPTION.match(text) or _USAGE.match(text) or _OTHER.search(text)
    return text[:_SHOWN] if is_error else None


def is_consequence(error: str) -> bool:
    """Whether an error only follows from another, or from a start that is not over."""
    return bool(_CONSEQUENCES.match(error))


def last_error(lines: Iterable[str]) -> str:
    """The last error of a log that is not the consequence of another; without any, its last line of use."""
    last, error, consequence = "", "", ""
    for line in lines:
        text = plain(line)
        last = text if text and not _ENDING.match(text) else last
        found = error_in(line)
        if found and is_consequence(found):
            consequence = found
        elif found:
            error = found
    return (error or consequence or last)[:_SHOWN]


class GrowingLog:
    """The lines that a file has got since the last look.

    Args:
        file: the log.
        begin: bytes of it that are older than what is wanted.
    """

    def __init__(self, file: Path, begin: int = 0) -> None:
        self._file = file
        self._read = begin
        self._half = b""

    def new_lines(self, until: int | None = None) -> list[str]:
        """Whole lines, of the first ``until`` bytes of the file; a half one waits for its end."""
        content = _read(self._file, self._read, -1 if until is None else max(0, until - self._read))
        self._read += len(content)
        # Progress bars write over their own line.
        *lines, self._half = (self._half + content).replace(b"\r", b"\n").split(b"\n")
        return [line.decode("utf-8", "replace") for line in lines]


def tail(file: Path, begin: int = 0) -> list[str]:
    """The last lines of a log, none from before ``begin`` bytes."""
    content = _read(file, max(begin, size(file) - _TAIL), -1)
    return content.decode("utf-8", "replace").replace("\r", "\n").split("\n")


def size(file: Path) -> int:
    """Bytes of a log; 0 when somebody has removed it, which must not keep a server from being ended."""
    with contextlib.suppress(OSError):
        return file.stat().st_size
    return 0


def _read(file: Path, begin: int, count: int) -> bytes:
    with contextlib.suppress(OSError), file.open("rb") as handle:
        handle.seek(begin)
        return handle.read(count)
    return b""
