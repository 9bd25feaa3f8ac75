"""Which stretches of a long text are looked at."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal

from curator._seed import stable_hash

WINDOW_SENTENCES = 32
DEFAULT_WINDOWS = 4
WindowCount = int | Literal["all"]


def window_starts(sentences: Sequence[str], windows: WindowCount) -> list[int]:
    """Numbers of the first sentences of windows of 32.

    Windows that cover all are spread evenly, overlapping where the number of sentences is no multiple. Where they
    are more than wanted, the first, the last, and one of each of as many equal strata between are taken, drawn
    by a hash of the sentences: the same text gives the same windows wherever it stands.

    Args:
        sentences: of the whole text.
        windows: how many at most, at least 1; ``"all"`` for all.
    """
    covering = max(math.ceil(len(sentences) / WINDOW_SENTENCES), 1)
    last = max(len(sentences) - WINDOW_SENTENCES, 0)
    starts = [round(number * last / max(covering - 1, 1)) for number in range(covering)]
    if windows == "all" or covering <= windows:
        return starts
    text = stable_hash(*sentences)
    if windows < 2:
        return [starts[stable_hash(text, 0) % covering]]
    inner, strata = starts[1:-1], windows - 2
    bounds = [round(number * len(inner) / max(strata, 1)) for number in range(strata + 1)]
    drawn = [
        inner[low + stable_hash(text, number) % (high - low)]
        for number, (low, high) in enumerate(itertools.pairwise(bounds))
    ]
    return [starts[0], *drawn, starts[-1]]
