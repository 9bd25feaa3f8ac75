"""``--set a.b=c``: one value of a recipe, given on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curator._errors import RecipeError, in_short
from curator.recipe.positions import Location, NotYAML, parse_yaml

# A part of a path: a word, or a name in quotes that may hold dots.
_STEP = re.compile(r"\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<word>[^.\"'=]+)")
_EXAMPLE = "write it as size.samples=32"
# No recipe is as deep, and none of its lists as long.
_DEEPEST, _NUMBER_DIGITS = 32, 9


@dataclass(frozen=True, slots=True)
class Override:
    """One ``--set``.

    Attributes:
        text: as it was typed.
        steps: the path's parts; of a list, its number from 0 in digits.
        value: what is set.
    """

    text: str
    steps: tuple[str, ...]
    value: Any

    def __str__(self) -> str:
        return f"--set {in_short(self.text)}"


class NoSuchPlace(Exception):
    """An override whose path leads nowhere; the words say why."""


def parse_overrides(texts: Sequence[str]) -> list[Override]:
    """Read ``--set`` options; values are YAML 1.2, as in a file.

    Raises:
        RecipeError: all that cannot be read.
    """
    found: list[Override] = []
    problems: list[str] = []
    for text in texts:
        try:
            found.append(_parse(text))
        except NotYAML as error:
            problems += [f"--set {in_short(text)}: {what}" for _, what in error.problems]
    if problems:
        raise RecipeError(problems)
    return found


def apply_override(values: dict[str, Any], override: Override) -> tuple[Location, Any]:
    """Set the value; mappings on the way are made where they are missing or turned off.

    Returns:
        The place and value of what is new: the value itself, or the first mapping made for it.

    Raises:
        NoSuchPlace: the path goes through a value, or to an entry that a list does not have.
    """
    node: Any = values
    location: Location = ()
    steps = list(override.steps)
    while True:
        key = _key(node, steps.pop(0), location)
        location = (*location, key)
        old = node.get(key) if isinstance(node, dict) else node[key]
        if not steps or old is None or old is False:
            node[key] = _nested(steps, override.value)
            return location, node[key]
        node = old


def _nested(steps: Sequence[str], value: Any) -> Any:
    for step in reversed(steps):
        value = {step: value}
    return value


def _parse(text: str) -> Override:
    steps: list[str] = []
    at = 0
    while True:
        step = _STEP.match(text, at)
        if step is None:
            raise NotYAML([(1, f"a path and a value are needed; {_EXAMPLE}")])
        steps.append((step["double"] or step["single"] or step["word"]).strip())
        at = step.end()
        if text[at : at + 1] == ".":
            at += 1
        elif text[at : at + 1] == "=":
            break
        else:
            raise NotYAML([(1, f"a path and a value are needed; {_EXAMPLE}")])
    if len(steps) > _DEEPEST:
        raise NotYAML([(1, f"a path of {len(steps)} keys, at most {_DEEPEST} lead anywhere")])
    if steps[0] == "extends":
        raise NotYAML([(1, "extends can be given in a file only; name the other recipe instead")])
    return Override(text, tuple(steps), parse_yaml(text[at + 1 :]).values)


def _key(node: Any, step: str, location: Sequence[str | int]) -> str | int:
    name = ".".join(map(str, location))
    if isinstance(node, dict):
        return step
    if not isinstance(node, list):
        raise NoSuchPlace(f"{name} is a value, nothing is below it; set {name} itself")
    if not (step.isascii() and step.isdigit()) or len(step) > _NUMBER_DIGITS or int(step) >= len(node):
        what = "one entry, number 0" if len(node) == 1 else f"{len(node)} entries, numbers 0 to {len(node) - 1}"
        raise NoSuchPlace(
            f"{name} has {what}; there is no {name}.{in_short(step)}" if node else f"{name} is empty; set it"
        )
    return int(step)
