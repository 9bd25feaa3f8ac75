"""Random draws of the benchmark: seeded by names, so that one class never shifts another."""

from __future__ import annotations

import hashlib
import math
import random

SHORTEST, LONGEST = 40, 4000


def stream(*names: object) -> random.Random:
    """A generator that depends on the names alone, not on Python's hash seed or on what was drawn before."""
    told = "\x1f".join(str(name) for name in names)
    return random.Random(int.from_bytes(hashlib.sha256(told.encode()).digest()[:8], "big"))


def half_of(unit: str) -> int:
    """Which half a source belongs to: 0 (to learn on) or 1 (to report)."""
    return hashlib.sha256(unit.encode()).digest()[0] & 1


def draw_length(draw: random.Random, least: int = SHORTEST, most: int = LONGEST) -> int:
    """A length in characters, log-uniform between the two."""
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def clip(text: str, length: int) -> str:
    """``text`` cut to at most ``length`` characters, without white space at its ends."""
    return text[:length].strip()


def fill(pieces: list[str], draw: random.Random, length: int, joint: str = " ") -> str:
    """Random pieces joined until ``length`` is reached, then cut there."""
    parts: list[str] = []
    have = 0
    while have < length:
        part = draw.choice(pieces)
        parts.append(part)
        have += len(part) + len(joint)
    return clip(joint.join(parts), length)
