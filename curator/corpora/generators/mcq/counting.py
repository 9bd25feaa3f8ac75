"""Problems of sets and counting; the first four are for calibration."""

from __future__ import annotations

import random

from curator.corpora.generators.mcq.story import Draw, Values


def _groups(rng: random.Random, _: str) -> Values:
    """Two overlapping groups: every count that can be asked for."""
    both, only_a, only_b, neither = (rng.randint(3, 14) for _ in range(4))
    a, b = only_a + both, only_b + both
    any_of = a + b - both
    return {
        "total": any_of + neither, "a": a, "b": b, "both": both, "any": any_of, "neither": neither,
        "only": only_a, "other": only_b, "one": only_a + only_b, "sum": a + b, "rest": any_of + neither - both,
    }  # fmt: skip


def _asking(name: str) -> Draw:
    def draw(rng: random.Random, language: str) -> Values:
        values = _groups(rng, language)
        return {**values, "right": values[name]}

    return draw


def _handshakes(rng: random.Random, _: str) -> Values:
    people = rng.randint(5, 16)
    others = people - 1
    twice = people * others
    return {"n": people, "others": others, "twice": twice, "right": twice // 2, "self": people * (people + 1) // 2,
            "square": people * people}  # fmt: skip


def _socks(rng: random.Random, _: str) -> Values:
    colours = rng.randint(3, 8)
    each = rng.choice([one for one in range(4, 13) if one not in (colours, colours + 1)])
    return {"colours": colours, "each": each, "right": colours + 1, "two": 2, "more": each + 1}


def _outfits(rng: random.Random, _: str) -> Values:
    a, b, c = rng.randint(3, 7), rng.randint(2, 6), rng.randint(2, 5)
    return {"a": a, "b": b, "c": c, "pairs": a * b, "right": a * b * c, "sum": a + b + c, "mixed": a * b + c}


def _knockout(rng: random.Random, _: str) -> Values:
    players = rng.randint(9, 60)
    return {"n": players, "right": players - 1, "half": players // 2, "league": players * (players - 1) // 2}


STORIES: dict[str, Draw] = {
    "neither": _asking("neither"),
    "only": _asking("only"),
    "any": _asking("any"),
    "one": _asking("one"),
    "handshakes": _handshakes,
    "socks": _socks,
    "outfits": _outfits,
    "knockout": _knockout,
}
