"""Frequent words: a stream of coded words whose frequencies fall off as a power of their rank (zeta).

After the task family made known by RULER (arXiv:2404.06654); wordings and code are our own.
"""

from __future__ import annotations

import math
import random
import string
from functools import lru_cache

from curator._errors import InputError
from curator.corpora.document import Message
from curator.corpora.generators.contract import Generator, Interval, Request, Sample
from curator.corpora.generators.list_wordings import FWE_CALIBRATION, FWE_HELDOUT

_LETTERS = 6
_WORD_TOKENS = {" ": 4.2, "\n": 5.1}
"""Tokens of a coded word with the gap before it: 0.3 over the average, as the commonest word alone may have 6."""


def _make(request: Request, rng: random.Random) -> Sample:
    top, alpha = request.options["top"], request.options["alpha"]
    least = _least_tokens(top, alpha)
    if request.tokens < least:
        raise InputError(
            f"generate fwe: too short to tell the {top} most frequent words apart at alpha {alpha:g}; "
            f"ask for {least} tokens or more"
        )
    wordings = FWE_HELDOUT if request.heldout else FWE_CALIBRATION
    wording = wordings[rng.randrange(len(wordings))]
    total = int((request.tokens - wording.tokens(["x" * _LETTERS] * top)) / _WORD_TOKENS[wording.gap])
    counts = _counts(total, alpha)
    words = _draw_words(rng, len(counts))
    stream = [word for word, times in zip(words, counts, strict=True) for _ in range(times)]
    rng.shuffle(stream)
    user = f"{wording.opening}\n\n{wording.gap.join(stream)}\n\n{wording.ask(top)}"
    return Sample(messages=(Message("user", user), Message("assistant", wording.reply(words[:top]))))


def _counts(total: int, alpha: float) -> list[int]:
    """How often the word of each rank comes, ``total`` together.

    In proportion to ``rank ** -alpha``, rounded down; what the rounding leaves are words that come once.
    """
    scale = total / _zeta(alpha)
    ranks = int(math.pow(scale, 1 / alpha))
    counts = [int(scale * math.pow(rank, -alpha)) for rank in range(1, ranks + 1)]
    return counts + [1] * (total - sum(counts))


@lru_cache(maxsize=8)
def _zeta(alpha: float) -> float:
    """Riemann's zeta function: a sum, and the Euler-Maclaurin estimate of the rest of it."""
    first = 1000
    tail = math.pow(first, 1 - alpha) / (alpha - 1) + math.pow(first, -alpha) / 2
    return math.fsum([*(math.pow(rank, -alpha) for rank in range(1, first)), tail])


def _draw_words(rng: random.Random, number: int) -> list[str]:
    """Distinct words of equal length, so that none is found inside another."""
    drawn: dict[str, None] = {}
    while len(drawn) < number:
        drawn["".join(rng.choices(string.ascii_lowercase, k=_LETTERS))] = None
    return list(drawn)


def _least_tokens(top: int, alpha: float) -> int:
    """The length from which on every rank to ``top`` is more frequent than the next, whatever the wording."""
    # Rounded down, counts that are 1 apart or more still differ, and the last two are the closest. Words left
    # over by the rounding come once, so that 2 is the least of an answer.
    last, following = math.pow(top, -alpha), math.pow(top + 1, -alpha)
    total = _zeta(alpha) * max(1 / (last - following), 2 / last)
    names = ["x" * _LETTERS] * top
    wordings = FWE_CALIBRATION + FWE_HELDOUT
    return math.ceil(max(one.tokens(names) + _WORD_TOKENS[one.gap] * (total + 1) for one in wordings))


GENERATOR = Generator(
    title="frequent words: list the most frequent words of a stream of coded words (low continuity)",
    low_continuity="always",
    licence="CC0-1.0",
    choices={"top": range(2, 11), "alpha": Interval(1.1, 3.5)},
    defaults={"top": 3, "alpha": 1.5},
    is_low=lambda _: True,
    make=_make,
)
