"""Real words in random order: vocabulary without sentences, on purpose."""

from __future__ import annotations

import random

from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Request, Sample
from curator.corpora.generators.wordings.remarks import SPACE
from curator.corpora.generators.words import words


def _plan(request: Request, rng: random.Random) -> Draft:
    pool, space = words(request.language), SPACE[request.language]
    drawn: list[str] = []

    def render(size: int) -> Sample:
        drawn.extend(pool[rng.randrange(len(pool))] for _ in range(size - len(drawn)))
        return Sample(text=space.join(drawn[:size]))

    return Draft(render, 1)


GENERATOR = Generator(
    title="real words drawn independently, no punctuation (low continuity)",
    low_continuity="always",
    licence=lambda _: "CC0-1.0",  # single words are nobody's
    choices={"language": LANGUAGES},
    defaults={"language": "en"},
    is_low=lambda _: True,
    plan=_plan,
)
