"""Lines of random UUIDs: text without any meaning, on purpose."""

from __future__ import annotations

import random
import uuid

from curator.corpora.generators.contract import Generator, Request, Sample

_LINE = 37
_CHARS_PER_TOKEN = 1.9
"""Hexadecimal digits: tokens of one to three characters."""


def draw_uuid(rng: random.Random) -> str:
    """Draw a version 4 UUID (RFC 9562) from ``rng``, not from the operating system."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _make(request: Request, rng: random.Random) -> Sample:
    lines = max(1, round((round(_CHARS_PER_TOKEN * request.tokens) + 1) / _LINE))
    return Sample(text="\n".join(draw_uuid(rng) for _ in range(lines)))


GENERATOR = Generator(
    title="lines of random UUIDs (low continuity)",
    low_continuity="always",
    licence="CC0-1.0",
    choices={},
    defaults={},
    is_low=lambda _: True,
    make=_make,
)
