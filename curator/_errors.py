"""The one exception tree.

CurateError                    exit code 1, never raised itself
├── InputError                 2   a recipe, file, argument or model that cannot be used as given
│   └── RecipeError            2   every fault of one recipe, each with file:line
├── RefusedError               3   the input is readable, but a check says the result would mislead
└── DependencyError            4   a server, a package or the machine failed us
    └── ServerError            4   an inference server answered with an error, or not at all

Ctrl-C leaves with 130. A message says what is wrong, where, and what to do, in one line.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence

EXIT_INTERRUPTED = 130


class CurateError(Exception):
    """Base of every error that Curate raises on purpose."""

    exit_code = 1


class InputError(CurateError):
    """Something the user gave cannot be used as it is."""

    exit_code = 2


class RecipeError(InputError):
    """All faults of one recipe, in the order of its lines.

    Args:
        problems: one line each, already ``file:line: what, fix``.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class RefusedError(CurateError):
    """A check refuses to go on, because the result would mislead."""

    exit_code = 3


class DependencyError(CurateError):
    """A package, a program or the machine did not do its part."""

    exit_code = 4


class ServerError(DependencyError):
    """An inference server answered with an error, or not at all."""


def did_you_mean(
    given: str, names: Iterable[str], otherwise: str, show: Callable[[str], str] = str, *, cutoff: float = 0.6
) -> str:
    """What a message tells about a name that there is not.

    Args:
        given: the name.
        names: those that there are.
        otherwise: what is told where none of them is near.
        show: writes the nearest one, `repr` with quotes.
        cutoff: how alike it must be, from 0 to 1.
    """
    near = difflib.get_close_matches(given, list(names), 1, cutoff)
    return f"did you mean {show(near[0])}?" if near else otherwise


def first_line(error: BaseException) -> str:
    """The first line of another's error, cut to what a message of ours can hold; its name when it says nothing."""
    return str(error).strip().split("\n", 1)[0][:200] or type(error).__name__


def in_short(text: str, most: int = 120) -> str:
    """What a user typed or a file has, as a message can repeat it: in one line, and cut."""
    line = text.replace("\n", "\\n").replace("\r", "\\r")
    return line if len(line) <= most else f"{line[:most]}... ({len(line)} characters)"
