"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

from curator._progress import Advance, Narrator
from curator.cli.output import readable

# A pipe or a log gets a line at the start of a step, at its end, and this often in between.
_LINE_SECONDS = 30.0


class BarNarrator:
    """Rich bars, one a step; finished ones stay as lines."""

    def __init__(self) -> None:
        self._console = readable(Console(stderr=True))

    def say(self, text: str) -> None:
        """Print one line."""
        self._console.print(text, style="dim", highlight=False, markup=False)

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Advance]:
        """Show one step."""
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console, transient=False) as progress:
            task = progress.add_task(label, total=total)
            yield lambda count: progress.advance(task, count)
            done = total if total is not None else 1
            progress.update(task, total=done, completed=done)


class LineNarrator:
    """Plain lines."""

    def __init__(self) -> None:
        self._console = readable(Console(stderr=True, no_color=True, highlight=False, soft_wrap=True))

    def say(self, text: str) -> None:
        """Print one line."""
        self._console.print(text, markup=False)

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Advance]:
        """Show one step by lines."""
        started = last = time.monotonic()
        done = 0
        self.say(f"{label} ...")

        def advance(count: int) -> None:
            nonlocal done, last
            done += count
            now = time.monotonic()
            if total and now - last > _LINE_SECONDS:
                last = now
                self.say(f"{label}: {min(done / total, 1):.0%} after {now - started:.0f} s")

        yield advance
        self.say(f"{label}: done in {time.monotonic() - started:.1f} s")


def narrator() -> Narrator:
    """Bars when standard error is a terminal, else lines."""
    return BarNarrator() if Console(stderr=True).is_terminal else LineNarrator()
