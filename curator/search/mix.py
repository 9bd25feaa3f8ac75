"""A mix: one point of the space that is searched, or a recipe that somebody wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator._files import json_sha256
from curator.search.knobs import Knob, Path, Shares


@dataclass(frozen=True, slots=True)
class Mix:
    """What is measured.

    Attributes:
        name: unique in a search, the same for the same values.
        recipe: number of the recipe, in the order given; proposals are of the first.
        values: what is set in it; empty for the recipe as it was written.
        unit: its place in the space, numbers from 0 to 1; ``None`` for a recipe that is not in it.
    """

    name: str
    recipe: int
    values: tuple[tuple[Path, float], ...]
    unit: tuple[float, ...] | None

    @property
    def written(self) -> bool:
        """Whether somebody wrote it."""
        return not self.values

    def settings(self) -> list[str]:
        """As ``--set`` options."""
        return [f"{'.'.join(map(_quoted, path))}={value}" for path, value in self.values]


def proposed(base: str, knobs: Sequence[Knob], unit: Sequence[float]) -> Mix:
    """The mix at a place of the space.

    Args:
        base: name of the recipe that is searched.
        knobs: the space.
        unit: a number from 0 to 1 for each of its dimensions.
    """
    values: dict[Path, float] = {}
    for knob, own in _parts(knobs, unit):
        values |= knob.values(own)
    listed = tuple(values.items())
    return Mix(f"{base[:_LONGEST]}-{_digest(listed)}", 0, listed, tuple(_place(knobs, values)))


def coordinates(knobs: Sequence[Knob], unit: Sequence[float]) -> list[float]:
    """Where a place is for distances between mixes: shares as they are, numbers as parts of their range.

    The numbers that shares are searched by will not do: near the end of the stick they mean nothing.
    """
    found: list[float] = []
    for knob, own in _parts(knobs, unit):
        found += knob.values(own).values() if isinstance(knob, Shares) else own
    return found


def _parts(knobs: Sequence[Knob], unit: Sequence[float]) -> Iterator[tuple[Knob, list[float]]]:
    rest = list(unit)
    for knob in knobs:
        own, rest = rest[: knob.size], rest[knob.size :]
        yield knob, own


def _place(knobs: Sequence[Knob], values: Mapping[Path, float]) -> list[float]:
    """The place of the values as they were rounded: what is measured, not what was asked."""
    return [number for knob in knobs for number in knob.unit(values)]


# Names of recipes have 64 characters at most.
_LONGEST, _HASH = 50, 8


def _digest(values: Any) -> str:
    return json_sha256(values)[:_HASH]


def _quoted(step: str) -> str:
    return f'"{step}"' if "." in step or "'" in step else step
