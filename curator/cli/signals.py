"""Ctrl-C, `kill` and a closing terminal: one way out for all three, whenever they come."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import NoReturn

from curator._errors import EXIT_INTERRUPTED

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# One Ctrl-C may arrive twice, from the terminal and from a program that started us.
_SAME_SECONDS = 1.0
_first: list[float] = []
_kept: list[str] = []


def leave_at_once() -> None:
    """For the time of the imports, which nothing can be lost in: a KeyboardInterrupt there may be swallowed."""
    _handle(_leave)


def raise_interrupt() -> None:
    """For the time of a verb: a ``KeyboardInterrupt``, so that children end and temporary files go."""
    _handle(_interrupt)


def ignore() -> None:
    """For the end: the work is done, or given up."""
    for number in _NUMBERS:
        signal.signal(number, signal.SIG_IGN)


def came() -> bool:
    """Whether a signal came; a library may have made another exception of its ``KeyboardInterrupt``."""
    return bool(_first)


def keep(words: str) -> None:
    """Say what an interrupted verb leaves that is of use, in words that end a sentence."""
    _kept.append(words)


def kept() -> str:
    """What was said so; empty where nothing is left."""
    return ", ".join(_kept)


def _handle(handler: Callable[[int, object], None]) -> None:
    for number in _NUMBERS:
        # What the caller ignores stays ignored: `nohup`, or a shell's background job.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _leave(_number: int, _frame: object) -> NoReturn:
    _exit("interrupted before anything was done; the same command starts again")


def _interrupt(_number: int, _frame: object) -> None:
    now = time.monotonic()
    if not _first:
        _first.append(now)
        raise KeyboardInterrupt
    if now - _first[0] > _SAME_SECONDS:
        _exit("interrupted twice; left without cleaning up, hidden .tmp files may remain")


def _exit(line: str) -> NoReturn:
    try:
        os.write(2, f"curate: {line}\n".encode())
    finally:
        os._exit(EXIT_INTERRUPTED)
