"""`curate compare`: what differs between two recipes, two sets or two runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate compare runs/first runs/second")(compare)


def compare(
    first: Annotated[str, typer.Argument(help="Run folder, set folder, or recipe.")],
    second: Annotated[str, typer.Argument(help="The same kind of thing.")],
    json: JsonFlag = False,
) -> None:
    """Compare two runs or two recipe variants: the recipe, the set, the KL."""
    from curator.rank.compare import compare_things

    result = compare_things(first, second)
    if json:
        print_json(result)
        return
    _print(result)


def _print(result: dict[str, Any]) -> None:
    out = console()
    for heading, lines in result["differences"].items():
        out.print(heading, style="bold", markup=False)
        for line in lines or ["no difference"]:
            out.print(f"  {line}", markup=False, soft_wrap=True)
    for warning in result["warnings"]:
        out.print(f"warning: {warning}", markup=False, soft_wrap=True)
