"""Options of the verbs that take a recipe."""

from __future__ import annotations

from typing import Annotated

import typer

SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one value, as in --set size.samples=32; may be given again."),
]
