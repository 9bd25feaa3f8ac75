"""What is fuzzed, and the loop that does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

from curator._errors import CurateError, RecipeError

# A line that a user reads; what is repeated of the input is cut.
LONGEST = 4000
Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Ready:
    """A target that can be asked.

    Attributes:
        inputs: what it is given.
        check: whether it read an input; a `CurateError` says that it refused, anything else is a fault of ours.
    """

    inputs: SearchStrategy[Any]
    check: Check


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads what others wrote.

    Attributes:
        name: its name.
        what: in words, for the results.
        ready: makes it ready, with a folder of its own.
    """

    name: str
    what: str
    ready: Callable[[Path], AbstractContextManager[Ready]]


def fuzz(target: Target, folder: Path, examples: int, start: int | None = None) -> Counter[str]:
    """Give a target so many inputs; the first that ends in anything but an answer or a refusal is raised.

    Args:
        target: the target.
        folder: an empty folder for its files.
        examples: the most inputs.
        start: where chance starts; ``None`` for a new place each time.

    Returns:
        How many were ``read`` and ``refused``.
    """
    counts: Counter[str] = Counter()
    with target.ready(folder) as ready:

        @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(ready.inputs)
        def one(value: Any) -> None:
            counts[outcome(ready.check, value)] += 1

        if start is not None:
            one = seed(start)(one)
        one()
    return counts


def outcome(check: Check, value: Any) -> str:
    """``read`` or ``refused``; the words of a refusal are checked."""
    try:
        return "read" if check(value) else "refused"
    except CurateError as error:
        # A recipe has a line for each of its faults.
        lines = error.problems if isinstance(error, RecipeError) else (str(error),)
        for line in lines:
            if not line.strip() or "\n" in line or "\r" in line or len(line) > LONGEST:
                raise AssertionError(f"not a line that can be read: {line[:LONGEST]!r}") from error
        return "refused"
