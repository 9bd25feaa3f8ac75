"""Variable tracking: numbers that are handed on from name to name, said here and there in a long text.

After the task family made known by RULER (arXiv:2404.06654); text, wordings and code are our own.
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
from curator.corpora.generators.names import Names, said_by
from curator.corpora.generators.wordings.variable_tracking import WORDINGS

_EXAMPLE = 3
"""Names of the worked example."""
_MOST_HOPS = 12


def _plan(request: Request, rng: random.Random) -> Draft:
    options = request.options
    wording = request.pick(WORDINGS)
    names = Names(rng, request.language, (*haystack_around(request), said_by(request, wording)))
    kind = "word" if options["names"] == "words" else "coded"

    def draw_chain(length: int) -> tuple[list[str], str]:
        return [names.draw(kind, guarded=True) for _ in range(length)], names.draw("numbers", guarded=True)

    chains = [draw_chain(options["hops"] + 1) for _ in range(options["chains"])]
    placed: list[tuple[float, str]] = []
    for number, chain in enumerate(chains):
        places = range(number * (_MOST_HOPS + 1), number * (_MOST_HOPS + 1) + len(chain[0]))
        # A name is copied after it got its number, never before.
        depths = sorted(depth(request, "vt", place) for place in places)
        placed += zip(depths, wording.chain(*chain), strict=True)
    asked, value = chains[0]
    example = wording.worked(*draw_chain(_EXAMPLE)) if request.has_room else ""
    question, answer = wording.question.format(value=value), wording.reply(asked, value)
    hay = open_haystack(request, rng.getrandbits(63))

    def render(size: int, words: int = 0) -> Sample:
        user = "\n\n".join(filter(None, (wording.opening, example, hay.hide(size, placed, words), question)))
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=tuple(asked))

    return Draft(render, 0, finer=render, spare=SPARE)


def _is_low(options: Options) -> bool:
    return options["names"] == "coded" or is_repeated(options)


GENERATOR = Generator(
    title="variable tracking: follow numbers from name to name through prose or repeated sentences",
    low_continuity="options",
    licence=haystack_licence,
    choices={
        "chains": range(1, 9),
        "hops": range(1, _MOST_HOPS + 1),
        "names": ("words", "coded"),
        "haystack": HAYSTACKS,
        "language": LANGUAGES,
    },
    defaults={"chains": 2, "hops": 4, "names": "words", "haystack": "prose", "language": "en"},
    is_low=_is_low,
    plan=_plan,
)
