"""What verbs print on standard output."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from curator._files import dump_json

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]


def print_json(value: Any) -> None:
    """Print strict JSON."""
    sys.stdout.write(dump_json(value))


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has seen enough (``| head``) is no failure."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def console() -> Console:
    """Standard output for people."""
    return _Output(highlight=False)


def next_step(command: str) -> None:
    """Print the command to type next."""
    console().print(f"next: {command}", style="bold", markup=False, soft_wrap=True)
