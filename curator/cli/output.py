"""What verbs print on standard output."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from curator._files import dump_json

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, nothing else.")]


def print_json(value: Any) -> None:
    """Print strict JSON."""
    sys.stdout.write(dump_json(value))


def console() -> Console:
    """Standard output for people."""
    return Console(highlight=False, soft_wrap=False)


def next_step(command: str) -> None:
    """Print the command to type next."""
    Console(highlight=False, soft_wrap=True).print(f"next: {command}", style="bold", markup=False)
