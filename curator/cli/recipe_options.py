"""Options of the verbs that take a recipe."""

from __future__ import annotations

from typing import Annotated

import typer

SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one value, as in --set size.samples=32; may be given again."),
]
AllWindowsOption = Annotated[
    bool, typer.Option("--all-windows", help="Score the continuity of every part of long texts, not of a sample.")
]


def changes(overrides: list[str] | None, *, all_windows: bool) -> list[str]:
    """What ``--set`` and the options that stand for one ask for."""
    return [*(overrides or ()), *(["continuity.windows=all"] if all_windows else ())]
