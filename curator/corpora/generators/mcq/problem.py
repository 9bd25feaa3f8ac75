"""A problem with one right answer, and the slips that lead to others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

CHOICES = 4
_NEAR_WHY = {
    "en": "None of the steps leads to {value}; it is a miscount.",
    "zh": "{value} 是数错的结果。",
}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong choice.

    Attributes:
        value: the choice as it is written.
        why: a sentence on how one comes to it.
    """

    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A question that its own words answer.

    Attributes:
        question: all that must be known, and what is asked.
        right: the right choice as it is written.
        slips: three wrong choices, all different.
        steps: sentences that lead from the question to the answer.
    """

    question: str
    right: str
    slips: tuple[Slip, ...]
    steps: tuple[str, ...]


def of_side(choices: Sequence[T], *, heldout: bool) -> Sequence[T]:
    """The first half of the choices for calibration, the second for held-out prompts."""
    half = len(choices) // 2
    return choices[half:] if heldout else choices[:half]


def three_slips(rng: random.Random, right: str, slips: Sequence[Slip], language: str) -> tuple[Slip, ...]:
    """The first three slips that differ from the right choice and each other.

    Where they are fewer and the answer is a whole number, numbers close to it take their places.
    """
    kept: dict[str, Slip] = {}
    for slip in slips:
        if slip.value not in (right, "0") and not slip.value.startswith("-"):
            kept.setdefault(slip.value, slip)
    near = [1, -1, 2, -2, 10, -10, 3]
    rng.shuffle(near)
    for distance in near if len(kept) < CHOICES - 1 and right.isdigit() else ():
        value = str(int(right) + distance)
        if value != "0" and not value.startswith("-"):
            kept.setdefault(value, Slip(value, _NEAR_WHY[language].format(value=value)))
    return tuple(kept.values())[: CHOICES - 1]
