"""What verbs print on standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console

from curator._files import dump_json
from curator.cli.streams import discard

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]
# COLUMNS=0 would leave no room for a word, and a huge value a line of blanks without end.
_WIDTHS = (40, 500)


def print_json(value: Any) -> None:
    """Print strict JSON in UTF-8, whatever the terminal's encoding."""
    # A name that is not UTF-8 holds half characters, whose escape here is also JSON's.
    content = dump_json(value).encode("utf-8", "backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _reader_gone()


def print_overview(
    document: dict[str, Any], lines: Callable[[dict[str, Any]], list[str]], *, as_json: bool
) -> None:
    """Print what ``--plan`` found: the document itself, or its lines."""
    if as_json:
        print_json(document)
        return
    for line in lines(document):
        console().print(line, markup=False, soft_wrap=True)


def _reader_gone() -> None:
    """A reader that has seen enough (``| head``) is no failure."""
    discard(sys.stdout)
    raise SystemExit(0)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True
        _reader_gone()


def console() -> Console:
    """Standard output for people."""
    return readable(_Output(highlight=False))


def readable(shown: Console) -> Console:
    """``shown`` with a width that lines fit in."""
    shown.width = min(max(shown.width, _WIDTHS[0]), _WIDTHS[1])
    return shown


def next_step(command: str) -> None:
    """Print the command to type next."""
    console().print(f"next: {command}", style="bold", markup=False, soft_wrap=True)
