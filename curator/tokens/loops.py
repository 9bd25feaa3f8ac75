"""Whether a model's answer goes round in circles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_PERIOD = 256
"""The longest period that is looked for, in tokens."""
_TIMES = 4
"""A stretch that is there so many times in a row ..."""
_LEAST = 24
"""... and has so many tokens in all is a loop: shorter ones are rulers, ellipses and rows of zeros."""
_GROUP = 5
_GROUPS = 64
"""Of so many groups of five tokens or more ..."""
_REPEATED = 0.5
"""... this share must have been there before: a list that counts on and says the same in each line."""


def find_loop(ids: Sequence[int]) -> str:
    """Why an answer counts as a loop, in words; empty when it does not.

    An answer is a loop when a stretch of up to 256 tokens stands four times or more in a row, 24 tokens or more in
    all, anywhere in it; or when half of its groups of five tokens were there before, of 64 groups or more.

    Args:
        ids: the answer's tokens.
    """
    tokens = np.asarray(ids, dtype=np.int64)
    for period in range(1, min(len(tokens) // _TIMES, _PERIOD) + 1):
        length = _longest(tokens[period:] == tokens[:-period]) + period
        if length >= max(_TIMES * period, _LEAST):
            return f"{period} tokens {length // period} times in a row"
    groups = np.lib.stride_tricks.sliding_window_view(tokens, _GROUP) if len(tokens) >= _GROUP else tokens[:0]
    if len(groups) < _GROUPS:
        return ""
    repeated = 1 - len(np.unique(groups, axis=0)) / len(groups)
    return f"{repeated:.0%} of its groups of {_GROUP} tokens were there before" if repeated >= _REPEATED else ""


def _longest(flags: NDArray[np.bool_]) -> int:
    """The most true flags in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.view(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max(initial=0))
