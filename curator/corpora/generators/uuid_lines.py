"""Lines of random UUIDs: text without any meaning, on purpose."""

from __future__ import annotations

import random

from curator.corpora.generators.contract import Draft, Generator, Request, Sample
from curator.corpora.generators.names import draw_uuid


def _plan(_: Request, rng: random.Random) -> Draft:
    lines: list[str] = []

    def render(size: int) -> Sample:
        lines.extend(draw_uuid(rng) for _ in range(size // _LINE + 1 - len(lines)))
        # A line is too long a step for a small budget: the last one is cut.
        return Sample(text="\n".join(lines[: size // _LINE + 1])[:size])

    return Draft(render, 1)


_LINE = 37
GENERATOR = Generator(
    title="lines of random UUIDs (low continuity)",
    low_continuity="always",
    licence=lambda _: "CC0-1.0",
    choices={},
    defaults={},
    is_low=lambda _: True,
    plan=_plan,
)
