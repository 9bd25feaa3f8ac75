"""Progress of a verb that goes on where it stopped: Ctrl-C tells whether there is anything to go on from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from curator._progress import Advance, Narrator
from curator.cli import signals
from curator.cli.progress import narrator


class _Resumable:
    def __init__(self, shown: Narrator) -> None:
        self._shown = shown

    def say(self, text: str) -> None:
        """See `Narrator`."""
        self._shown.say(text)

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Advance]:
        """See `Narrator`; what is counted is on the disk."""
        with self._shown.bar(label, total) as advance:

            def counted(count: int) -> None:
                if count and not signals.kept():
                    signals.keep("what is done")
                advance(count)

            yield counted


def resumable() -> Narrator:
    """A narrator that notes for Ctrl-C that something was done."""
    return _Resumable(narrator())
