"""``re:`` patterns of layer names, which may be a stranger's: compiled and matched within bounds."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from curator._errors import InputError

_SECONDS = 1.0


class _TooLong(Exception):
    """The time is over."""


class NamePattern:
    """A regular expression that names begin with.

    Args:
        entry: with ``re:`` in front or without.

    Raises:
        ValueError: it is no regular expression; says why.
    """

    def __init__(self, entry: str) -> None:
        self._entry = entry
        try:
            self._regex = re.compile(entry.removeprefix("re:"))
        except (re.error, OverflowError, RecursionError) as error:
            shown = entry if len(entry) <= 80 else f"{entry[:80]}..."
            raise ValueError(f"{shown!r} is no regular expression ({error})") from error

    def begins(self, name: str) -> bool:
        """Whether a name begins with it.

        Raises:
            InputError: one name took more than a second: repeats inside repeats can take for ever.
        """
        try:
            with _within(_SECONDS):
                return self._regex.match(name) is not None
        except (_TooLong, RecursionError) as error:
            raise InputError(
                f"pattern {self._entry[:80]!r} takes more than {_SECONDS:.0f} s on the name {name}; write it "
                "without repeats inside or after repeats"
            ) from error


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Stop the block after some seconds, by the alarm that the matcher looks for; in the main thread alone."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
