"""Common words: a long numbered list in which a few words come far more often than all others.

After the task family made known by RULER (arXiv:2404.06654); words, wordings and code are our own.
"""

from __future__ import annotations

import math
import random

from curator._errors import InputError
from curator.corpora.document import Message
from curator.corpora.generators.contract import Generator, Request, Sample
from curator.corpora.generators.list_wordings import CWE_CALIBRATION, CWE_HELDOUT
from curator.corpora.generators.word_list import WORDS

_ITEM_TOKENS = 3.35
"""Tokens of a list item beside the digits of its number: a mark, a line break and 1.35 for the word."""
_USUAL_TIMES = 3
"""How often an uncommon word comes, where the list is long enough and the words suffice."""
_USABLE = 0.8
"""Share of all words that a list draws on before it repeats them more often instead."""


def _make(request: Request, rng: random.Random) -> Sample:
    common, ratio = request.options["common"], request.options["ratio"]
    least = _least_tokens(common, ratio)
    if request.tokens < least:
        raise InputError(
            f"generate cwe: too short for {common} common words, each {ratio} times as often as another; "
            f"ask for {least} tokens or more"
        )
    wordings = CWE_HELDOUT if request.heldout else CWE_CALIBRATION
    wording = wordings[rng.randrange(len(wordings))]
    asked = rng.sample(WORDS, common)
    # A scorer may look for words inside of words: no other word holds one that is asked for, or is held by it.
    others = [word for word in WORDS if not any(word in one or one in word for one in asked)]
    rng.shuffle(others)
    items = _items(request.tokens - wording.tokens(asked))
    times = _times(items, common, ratio)
    listed = [word for word in asked for _ in range(ratio * times)]
    listed += [others[place // times] for place in range(items - len(listed))]
    rng.shuffle(listed)
    asked.sort(key=listed.index)
    lines = (wording.item.format(number=place, word=word) for place, word in enumerate(listed, start=1))
    user = f"{wording.opening}\n\n{wording.gap.join(lines)}\n\n{wording.ask(common)}"
    return Sample(messages=(Message("user", user), Message("assistant", wording.reply(asked))))


def _times(items: int, common: int, ratio: int) -> int:
    """How often each uncommon word comes in a list of ``items`` items."""
    usable = int(_USABLE * len(WORDS)) + common * ratio
    if items > _USUAL_TIMES * usable:
        return math.ceil(items / usable)
    return max(1, min(_USUAL_TIMES, items // _least_items(common, ratio)))


def _least_items(common: int, ratio: int) -> int:
    # At least as many uncommon words as common ones, or there would be nothing to count.
    return common * (ratio + 1)


def _least_tokens(common: int, ratio: int) -> int:
    """The length that every sample with these options can have, whatever its wording and words."""
    longest = sorted(WORDS, key=len)[-common:]
    prose = max(wording.tokens(longest) for wording in CWE_CALIBRATION + CWE_HELDOUT)
    items = range(1, _least_items(common, ratio) + 1)
    return math.ceil(prose + sum(len(str(number)) + _ITEM_TOKENS for number in items)) + 1


def _items(tokens: float) -> int:
    """How many items of a list together have ``tokens`` tokens: their numbers grow by a digit now and then."""
    items, digits = 0, 1
    while tokens >= (more := 9 * 10 ** (digits - 1)) * (digits + _ITEM_TOKENS):
        tokens -= more * (digits + _ITEM_TOKENS)
        items += more
        digits += 1
    return items + int(tokens / (digits + _ITEM_TOKENS))


GENERATOR = Generator(
    title="common words: list the most frequent words of a long numbered list (low continuity)",
    low_continuity="always",
    licence="CC0-1.0",  # single words are nobody's
    choices={"common": range(2, 21), "ratio": range(2, 21)},
    defaults={"common": 10, "ratio": 6},
    is_low=lambda _: True,
    make=_make,
)
