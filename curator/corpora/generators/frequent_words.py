"""Frequent words: a stream of words whose frequencies fall off as a power of their rank (zeta).

After the task family made known by RULER (arXiv:2404.06654); wordings and code are our own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Interval, Request, Sample
from curator.corpora.generators.names import coded_word, free_words
from curator.corpora.generators.wordings.frequent_words import WORDINGS

_SPARE = 0.55
"""The commonest word may be thrice as long as another sample's: by its share of the stream, streams differ."""


def _plan(request: Request, rng: random.Random) -> Draft:
    top, alpha = request.options["top"], request.options["alpha"]
    wording = request.pick(WORDINGS)
    key = rng.getrandbits(63)
    if request.options["vocabulary"] == "words":
        pool = free_words(request, wording)
        rng.shuffle(pool)
        more, most = iter(pool), len(pool)
    else:
        more, most = _coded(rng), None
    known: list[str] = []

    def render(total: int) -> Sample:
        counts = _counts(total, alpha, most)
        known.extend(islice(more, len(counts) - len(known)) if len(counts) > len(known) else ())
        stream = [word for word, times in zip(known, counts, strict=False) for _ in range(times)]
        random.Random(key).shuffle(stream)
        user = f"{wording.opening}\n\n{wording.gap.join(stream)}\n\n{wording.ask(top)}"
        answer = wording.reply(known[:top])
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=tuple(known[:top]))

    return Draft(render, _least(top, alpha), spare=1.03 + _SPARE / _zeta(alpha))


def _coded(rng: random.Random) -> Iterator[str]:
    drawn: set[str] = set()
    while True:
        word = coded_word(rng)
        if word not in drawn:
            drawn.add(word)
            yield word


def _counts(total: int, alpha: float, most: int | None) -> list[int]:
    """How often the word of each rank comes, ``total`` together, with ``most`` words or fewer.

    In proportion to ``rank ** -alpha``, rounded down. What the rounding leaves are words that come once, and
    where there are no more words, it goes to the rarest.
    """
    scale = total / _zeta(alpha)
    ranks = int(math.pow(scale, 1 / alpha))
    counts = [int(scale * math.pow(rank, -alpha)) for rank in range(1, min(ranks, most or ranks) + 1)]
    left = total - sum(counts)
    counts += [1] * (left if most is None else min(left, most - len(counts)))
    return _raised(counts, total - sum(counts))


def _raised(counts: list[int], left: int) -> list[int]:
    """``counts``, falling, with ``left`` more: the last of them are brought to one height."""
    first, held = len(counts), 0
    # The height that the words from `first` on have together, each as often as the one before them at most.
    while (
        left and first > 0 and (first == len(counts) or (len(counts) - first) * counts[first - 1] <= held + left)
    ):
        first -= 1
        held += counts[first]
    if not left:
        return counts
    height, over = divmod(held + left, len(counts) - first)
    return counts[:first] + [height + (place < over) for place in range(len(counts) - first)]


@lru_cache(maxsize=8)
def _zeta(alpha: float) -> float:
    """Riemann's zeta function: a sum, and the Euler-Maclaurin estimate of the rest of it."""
    first = 1000
    tail = math.pow(first, 1 - alpha) / (alpha - 1) + math.pow(first, -alpha) / 2
    return math.fsum([*(math.pow(rank, -alpha) for rank in range(1, first)), tail])


def _least(top: int, alpha: float) -> int:
    """The words from which on every rank to ``top`` is more frequent than the next."""
    # Rounded down, counts that are 1 apart or more still differ, and the last two are the closest. Words left
    # over by the rounding come once, so that 2 is the least of an answer.
    last, following = math.pow(top, -alpha), math.pow(top + 1, -alpha)
    return math.ceil(_zeta(alpha) * max(1 / (last - following), 2 / last))


GENERATOR = Generator(
    title="frequent words: list the most frequent words of a stream of real or coded words (low continuity)",
    low_continuity="always",
    licence=lambda _: "CC0-1.0",
    choices={
        "top": range(2, 11),
        "alpha": Interval(1.1, 3.5),
        "vocabulary": ("words", "coded"),
        "language": LANGUAGES,
    },
    defaults={"top": 3, "alpha": 1.5, "vocabulary": "words", "language": "en"},
    is_low=lambda _: True,
    plan=_plan,
)
