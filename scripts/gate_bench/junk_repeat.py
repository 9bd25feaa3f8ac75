"""Repeated lines: real sentences that come again and again."""

from __future__ import annotations

import random

from gate_bench.draw import clip
from gate_bench.hosts import sentences

LEAST = 200
"""With fewer characters a line may come twice or three times, as in a song."""


def repeated_lines(draw: random.Random, half: int, length: int) -> str:
    """One line, or a cycle of two to four, at least five times over; some with a counter."""
    most = max(12, min(120, length // 6))
    fit = [line for line in sentences(half) if 8 <= len(line) <= most]
    cycle = [draw.choice(fit)[:most] for _ in range(draw.choice([1, 1, 2, 2, 3, 4]))]
    while len(cycle) > 1 and sum(map(len, cycle)) * 5 > length:
        cycle.pop()
    style = draw.choice(["plain", "plain", "counter", "spaces", "number"])
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < length:
        line = cycle[len(parts) % len(cycle)]
        if style == "counter":
            line = f"{line} {len(parts) + 1}"
        elif style == "number":
            line = f"{len(parts) + 1}. {line}"
        parts.append(line)
    return clip((" " if style == "spaces" else "\n").join(parts), length)


def repeated_words(draw: random.Random, half: int, length: int) -> str:
    """One word or a phrase of two to four, over and over without a line end."""
    words = draw.choice([line for line in sentences(half) if line.count(" ") >= 4]).split(" ")
    size = draw.randint(1, 4)
    phrase = " ".join(words[:size])
    return clip(draw.choice([" ", " ", ", ", ""]).join([phrase] * (length // max(1, len(phrase)) + 1)), length)
