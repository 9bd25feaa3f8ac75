"""What a search can change, each with its way from numbers between 0 and 1 to values and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Path = tuple[str, ...]

LEAST = 0.01
"""The least share: what has none is left out of a recipe, and less than this no set of usual size can hold."""
_STEPS = 100  # Shares are whole per cents: finer ones make no other set.


@dataclass(frozen=True, slots=True)
class Shares:
    """Weights that count by their ratios, such as those of a task's sources: all or none are searched.

    Numbers from 0 to 1 break a stick: each says how much is left after its part, such that numbers drawn uniformly
    give every mix with equal chance. What is left, since a stick that is nearly used up then needs numbers near 0,
    where floating point is fine, and not near 1.

    Attributes:
        paths: where each weight is in a recipe.
        start: the recipe's own shares.
    """

    paths: tuple[Path, ...]
    start: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many numbers it takes: the last share is what is left."""
        return len(self.paths) - 1

    def values(self, unit: Sequence[float]) -> dict[Path, float]:
        """Shares in whole per cents, which sum to 1."""
        left, parts = 1.0, []
        for number, value in enumerate(unit):
            part = left * (1 - value ** (1 / (self.size - number)))
            parts.append(part)
            left -= part
        room = 1 - LEAST * len(self.paths)
        return dict(
            zip(self.paths, _rounded([LEAST + room * part for part in (*parts, max(left, 0.0))]), strict=True)
        )

    def unit(self, values: Mapping[Path, float]) -> list[float]:
        """The numbers that give these weights, up to rounding; shares below the least become it."""
        total = math.fsum(values[path] for path in self.paths)
        room = 1 - LEAST * len(self.paths)
        parts = [max(values[path] / total - LEAST, 0.0) / room for path in self.paths]
        left, found = math.fsum(parts), []
        for number, part in enumerate(parts[:-1]):
            taken = min(max(part / left, 0.0), 1.0) if left > 0 else 0.0
            found.append((1 - taken) ** (self.size - number))
            left -= part
        return found


@dataclass(frozen=True, slots=True)
class Number:
    """One number within limits.

    Attributes:
        path: where it is in a recipe.
        low: the least.
        high: the most.
        start: the recipe's own.
        whole: whether only whole numbers are meant.
    """

    path: Path
    low: float
    high: float
    start: float
    whole: bool = False

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return 1

    def values(self, unit: Sequence[float]) -> dict[Path, float]:
        """The value, in hundredths of its range: finer ones make no other set."""
        value = self.low + (self.high - self.low) * round(unit[0] * _STEPS) / _STEPS
        return {self.path: round(value) if self.whole else float(f"{value:.6g}")}

    def unit(self, values: Mapping[Path, float]) -> list[float]:
        """The number that gives this value; a value beyond the limits becomes the nearest."""
        return [min(max((values[self.path] - self.low) / (self.high - self.low), 0.0), 1.0)]


Knob = Shares | Number


def start_of(knobs: Sequence[Knob]) -> tuple[float, ...]:
    """The recipe's own place: numbers from 0 to 1."""
    found: list[float] = []
    for knob in knobs:
        paths, values = (knob.paths, knob.start) if isinstance(knob, Shares) else ((knob.path,), (knob.start,))
        found += knob.unit(dict(zip(paths, values, strict=True)))
    return tuple(found)


def _rounded(shares: Sequence[float]) -> list[float]:
    """Whole per cents with the same sum; what was rounded down most is given the rest (largest remainder)."""
    scaled = [share * _STEPS for share in shares]
    whole = [math.floor(value + 1e-9) for value in scaled]
    order = sorted(range(len(shares)), key=lambda at: (whole[at] - scaled[at], at))
    for at in order[: _STEPS - sum(whole)]:
        whole[at] += 1
    return [value / _STEPS for value in whole]
