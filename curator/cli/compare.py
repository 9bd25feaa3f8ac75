"""`curate compare`: what differs between two recipes, two sets or two runs."""

from __future__ import annotations

from typing import Annotated

import typer

from curator.cli.output import JsonFlag, console, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate compare runs/first runs/second")(compare)


def compare(
    first: Annotated[str, typer.Argument(help="Run folder, set folder, or recipe.")],
    second: Annotated[str, typer.Argument(help="The same kind of thing; a set can be compared with a recipe.")],
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="A fact of two runs' servers that may differ, such as version."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compare two recipes, two sets or two runs: the recipe in words, the set, the KL."""
    from curator.compare.runs import SAME_RUN
    from curator.compare.things import compare_things

    result = compare_things(first, second, allow or ())
    if json:
        print_json(result)
        return
    if result["verdict"] == SAME_RUN:
        # Every difference is 0: a table of them would tell nothing.
        console().print(SAME_RUN, style="bold")
        return
    from curator.report.compare_terminal import print_comparison

    print_comparison(result, console())
