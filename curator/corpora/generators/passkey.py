"""Pass key: one phrase, said twice at one place of a long text.

After the task made known by the pass key retrieval of long-context evaluations; text and wordings are our own.
"""

from __future__ import annotations

import random

from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Options, Request, Sample
from curator.corpora.generators.haystack import (
    HAYSTACKS,
    SPARE,
    depth,
    haystack_around,
    haystack_licence,
    is_repeated,
    open_haystack,
)
from curator.corpora.generators.names import KINDS, Names, said_by
from curator.corpora.generators.wordings.passkey import WORDINGS


def _plan(request: Request, rng: random.Random) -> Draft:
    wording = request.pick(WORDINGS)
    value = Names(rng, request.language, (*haystack_around(request), said_by(request, wording))).draw(
        request.options["needles"]
    )
    placed = [(depth(request, "passkey", 0), wording.state(value))]
    hay = open_haystack(request, rng.getrandbits(63))

    def render(size: int, words: int = 0) -> Sample:
        user = f"{wording.opening}\n\n{hay.hide(size, placed, words)}\n\n{wording.question}"
        return Sample(messages=(Message("user", user), Message("assistant", wording.reply(value))), gold=(value,))

    return Draft(render, 0, finer=render, spare=SPARE)


def _is_low(options: Options) -> bool:
    return options["needles"] == "uuids" or is_repeated(options)


GENERATOR = Generator(
    title="pass key: one phrase hidden in prose or repeated sentences",
    low_continuity="options",
    licence=haystack_licence,
    choices={"needles": KINDS, "haystack": HAYSTACKS, "language": LANGUAGES},
    defaults={"needles": "words", "haystack": "prose", "language": "en"},
    is_low=_is_low,
    plan=_plan,
)
