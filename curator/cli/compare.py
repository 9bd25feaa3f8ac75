"""`curate compare`: what differs between two recipes, two sets or two runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, print_json

# Lines below one heading.
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate compare runs/first runs/second")(compare)


def compare(
    first: Annotated[str, typer.Argument(help="Run folder, set folder, or recipe.")],
    second: Annotated[str, typer.Argument(help="The same kind of thing.")],
    json: JsonFlag = False,
) -> None:
    """Compare two recipes, two sets or two runs: the set, the recipe, the KL."""
    from curator.rank.compare import compare_things

    result = compare_things(first, second)
    if json:
        print_json(result)
        return
    _print(result)


def _print(result: dict[str, Any]) -> None:
    out = console()
    found = {heading: lines for heading, lines in result["differences"].items() if lines}
    if not found:
        out.print("no difference", markup=False)
    for heading, lines in found.items():
        out.print(heading, style="bold", markup=False)
        folded = [f"... and {len(lines) - _SHOWN} more; --json has them all"] if len(lines) > _SHOWN else []
        for line in [*lines[:_SHOWN], *folded]:
            out.print(_filled(line, out.width), markup=False)
    for warning in result["warnings"]:
        out.print(f"warning: {warning}", markup=False, soft_wrap=True)


def _filled(line: str, width: int) -> str:
    from textwrap import fill

    # A name or a path that is broken cannot be copied.
    return fill(
        line,
        width,
        initial_indent="  ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
