"""Junk at the head, in the middle or at the tail of good text."""

from __future__ import annotations

import random
from collections.abc import Callable

from gate_bench.hosts import host

Make = Callable[[random.Random, int, int], str]
PLACES = ("head", "middle", "tail")
SMALL = 500
"""Characters of junk, at least, where it is under a quarter of a text: more than a recipe takes on end."""
LEAST = 300
SHARES = (0.3, 0.7)
SMALL_SHARES = (0.12, 0.25)


def embed(make: Make, place: str, least: int, shares: tuple[float, float] = SHARES) -> Make:
    """A class of texts that are good but for one stretch of junk.

    Args:
        make: makes the junk.
        place: ``head``, ``middle`` or ``tail``.
        least: characters of junk, at least; what this kind needs to be told from text, or more.
        shares: which part of the text is junk, least and most.
    """

    def made(draw: random.Random, half: int, length: int) -> str:
        junk = make(draw, half, max(least, round(draw.uniform(*shares) * length)))
        good = max(length - len(junk), len(junk) // 2)
        joint = draw.choice(["\n", "\n", "\n\n", " "])
        if place == "head":
            return junk + joint + host(draw, half, good)
        if place == "tail":
            return host(draw, half, good) + joint + junk
        before = round(good * draw.uniform(0.3, 0.7))
        return joint.join([host(draw, half, before), junk, host(draw, half, good - before)])

    return made
