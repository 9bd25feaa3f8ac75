"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from curator._progress import Advance, Narrator
from curator.cli.output import readable
from curator.cli.pace import Pace

# A pipe or a log gets a line at the start of a step, at its end, and this often in between.
_LINE_SECONDS = 30.0
# A narrower terminal has no room for a long bar and both times.
_WIDE = 100


class _Left(ProgressColumn):
    """The time left, or how long it took where that is not known."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self._pace, self._elapsed = pace, TimeElapsedColumn()

    def render(self, task: Task) -> Text:
        """See `ProgressColumn`."""
        words = "" if task.finished else self._pace.words(time.monotonic())
        return Text(words, style="progress.remaining") if words else self._elapsed.render(task)


class BarNarrator:
    """Rich bars, one a step; finished ones stay as lines."""

    def __init__(self) -> None:
        self._console = readable(Console(stderr=True))

    def say(self, text: str) -> None:
        """Print one line."""
        self._console.print(text, style="dim", highlight=False, markup=False)

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Advance]:
        """Show one step, with the time left by the rate of this run."""
        pace = Pace(total)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24 if self._console.width >= _WIDE else 8),
            TaskProgressColumn(),
            _Left(pace),
        )
        with Progress(*columns, console=self._console, transient=False) as progress:
            task = progress.add_task(label, total=total)

            def advance(count: int) -> None:
                pace.add(count, time.monotonic())
                progress.advance(task, count)

            yield advance
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
        """Show one step by lines, with the time left by the rate of this run."""
        started = last = time.monotonic()
        pace = Pace(total)
        self.say(f"{label} ...")

        def advance(count: int) -> None:
            nonlocal last
            now = time.monotonic()
            pace.add(count, now)
            if total and now - last > _LINE_SECONDS:
                last = now
                words = ", ".join(filter(None, (f"{now - started:.0f} s", pace.words(now))))
                self.say(f"{label}: {pace.share():.0%} after {words}")

        yield advance
        self.say(f"{label}: done in {time.monotonic() - started:.1f} s")


def narrator() -> Narrator:
    """Bars when standard error is a terminal, else lines."""
    return BarNarrator() if Console(stderr=True).is_terminal else LineNarrator()
