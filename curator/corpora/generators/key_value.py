"""Key-value retrieval: look up keys in a long JSON object.

After the task made known by "Lost in the Middle" (arXiv:2307.03172); wordings and code are our own.
"""

from __future__ import annotations

import random

from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Request, Sample
from curator.corpora.generators.haystack import SPARE, depth, line_haystack
from curator.corpora.generators.names import KINDS, Names, said_by
from curator.corpora.generators.wordings.key_value import WORDINGS


def _plan(request: Request, rng: random.Random) -> Draft:
    options = request.options
    wording = request.pick(WORDINGS)
    names = Names(rng, request.language, (said_by(request, wording),))

    def draw_pair(*, guarded: bool) -> tuple[str, str]:
        return names.draw(options["keys"], guarded=guarded), names.draw(options["needles"], guarded=guarded)

    asked = [draw_pair(guarded=True) for _ in range(options["ask"])]
    placed = [(depth(request, "kv", place), _line(*pair)) for place, pair in enumerate(asked)]
    # Asked in an order of their own: the order in the object must not give the answer away.
    rng.shuffle(asked)
    question = wording.ask([key for key, _ in asked])
    answer = wording.reply([(key, (value,)) for key, value in asked])
    gold = tuple(value for _, value in asked)
    hay = line_haystack(lambda: _line(*draw_pair(guarded=False)))

    def render(size: int) -> Sample:
        pairs = hay.hide(size, placed).removesuffix(",")
        user = f"{wording.opening}\n\n{{\n{pairs}\n}}\n\n{question}"
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=gold)

    return Draft(render, 1, spare=SPARE)


def _line(key: str, value: str) -> str:
    return f'"{key}": "{value}",'


GENERATOR = Generator(
    title="key-value retrieval: look up keys in a long JSON object (low continuity)",
    low_continuity="always",
    licence=lambda _: "CC0-1.0",  # single words are nobody's
    choices={"needles": KINDS, "keys": KINDS, "ask": range(1, 11), "language": LANGUAGES},
    defaults={"needles": "words", "keys": "words", "ask": 1, "language": "en"},
    is_low=lambda _: True,
    plan=_plan,
)
