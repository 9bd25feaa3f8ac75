"""Common words: a long numbered list in which a few words come far more often than all others.

After the task family made known by RULER (arXiv:2404.06654); words, wordings and code are our own.
"""

from __future__ import annotations

import math
import random

from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Request, Sample
from curator.corpora.generators.names import free_words
from curator.corpora.generators.wordings.common_words import WORDINGS
from curator.corpora.generators.wordings.list_wording import ListWording

_USUAL_TIMES = 3
"""How often an uncommon word comes, where the list is long enough and the words suffice."""
_USABLE = 0.8
"""Share of all words that a list draws on before it repeats them more often instead."""
_EXAMPLE = 4
"""Words of the worked example, half of them common."""
_FEWEST = 2
_SPARE = 0.15
"""A few words many times: those of another sample may be longer, and the more so the fewer they are."""


def _plan(request: Request, rng: random.Random) -> Draft:
    common, ratio = request.options["common"], request.options["ratio"]
    wording = request.pick(WORDINGS)
    drawn = free_words(request, wording)
    rng.shuffle(drawn)
    asked, others = drawn[:common], drawn[common + _EXAMPLE :]
    usable = int(_USABLE * len(drawn)) + common * ratio
    example = _example(wording, drawn[common : common + _EXAMPLE], rng) if request.has_room else ""
    key = rng.getrandbits(63)
    # Without some uncommon words there would be nothing to count.
    least = common * ratio + max(_FEWEST, common // 4)

    def render(items: int) -> Sample:
        times = _times(items, least, usable)
        listed = [word for word in asked for _ in range(ratio * times)]
        listed += [others[place // times] for place in range(items - len(listed))]
        random.Random(key).shuffle(listed)
        found = sorted(asked, key=listed.index)
        parts = (wording.opening, example, wording.gap.join(wording.items(listed)), wording.ask(common))
        user, answer = "\n\n".join(filter(None, parts)), wording.reply(found)
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=tuple(found))

    return Draft(render, least, spare=1.03 + _SPARE / common)


def _example(wording: ListWording, drawn: list[str], rng: random.Random) -> str:
    asked = drawn[: _EXAMPLE // 2]
    listed = [*drawn, *asked]
    rng.shuffle(listed)
    return wording.worked(listed, sorted(asked, key=listed.index))


def _times(items: int, least: int, usable: int) -> int:
    """How often each uncommon word comes in a list of ``items`` items."""
    if items > _USUAL_TIMES * usable:
        return math.ceil(items / usable)
    return max(1, min(_USUAL_TIMES, items // least))


GENERATOR = Generator(
    title="common words: list the most frequent words of a long numbered list (low continuity)",
    low_continuity="always",
    licence=lambda _: "CC0-1.0",  # single words are nobody's
    choices={"common": range(2, 21), "ratio": range(2, 21), "language": LANGUAGES},
    defaults={"common": 10, "ratio": 6, "language": "en"},
    is_low=lambda _: True,
    plan=_plan,
)
