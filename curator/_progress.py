"""How long steps tell what they do, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


def unseen(_count: int) -> None:
    """Progress that nobody looks at."""


class Narrator(Protocol):
    """Someone who shows progress."""

    def say(self, text: str) -> None:
        """Show one line."""

    def bar(self, label: str, total: int | None) -> AbstractContextManager[Advance]:
        """Show a step of ``total`` units (``None`` when unknown); the value entered counts units done."""


class Silent:
    """Shows nothing."""

    def say(self, text: str) -> None:
        """See `Narrator`."""

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Advance]:
        """See `Narrator`."""
        yield unseen
