"""`curate leaderboard`: the arms of many runs, where they may be compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curator.cli.output import JsonFlag, console, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate leaderboard runs --html leaderboard.html")(leaderboard)


def leaderboard(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder with runs of `curate rank`, at any depth.")
    ],
    html: Annotated[Path | None, typer.Option("--html", help="Page to write.")] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow", help="A fact of the runs' servers that may differ within a table, such as version."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Rank the arms of all runs below a folder: one table for runs that were measured alike, never across."""
    from curator.compare.leaderboard import leaderboard as made
    from curator.report.leaderboard_html import leaderboard_html
    from curator.report.leaderboard_terminal import print_leaderboard

    board = made(folder, allow or ())
    if html is not None:
        from curator.cli.pages import write_page

        write_page(html, leaderboard_html(board))
    if json:
        print_json(board)
        return
    print_leaderboard(board, console())
    if html is not None:
        console().print(f"page: {html}", markup=False, soft_wrap=True)
