"""Real words in random order: vocabulary without sentences, on purpose."""

from __future__ import annotations

import random

from curator.corpora.generators.contract import Generator, Request, Sample
from curator.corpora.generators.haystack import words

_CHARS_PER_TOKEN = 4


def _make(request: Request, rng: random.Random) -> Sample:
    pool = words()
    drawn: list[str] = []
    left = _CHARS_PER_TOKEN * request.tokens
    while left > 0 or not drawn:
        drawn.append(pool[rng.randrange(len(pool))])
        left -= len(drawn[-1]) + 1
    return Sample(text=" ".join(drawn))


GENERATOR = Generator(
    title="real words drawn independently, no punctuation (low continuity)",
    low_continuity="always",
    licence="CC0-1.0",  # single words are nobody's
    choices={},
    defaults={},
    is_low=lambda _: True,
    make=_make,
)
