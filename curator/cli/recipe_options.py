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


def known_method(name: str) -> str:
    """A quantisation method that ``--method`` names.

    Raises:
        InputError: there is none of that name.
        DependencyError: a package that adds one is wrong.
    """
    from curator._errors import InputError, did_you_mean, in_short
    from curator.recipe.all_methods import METHODS

    if name not in METHODS:
        hint = did_you_mean(name, METHODS, f"choose from {', '.join(METHODS)}")
        raise InputError(f"--method {in_short(name)!r}: no such method; {hint}")
    return name
