"""Characters from all over Unicode: no text has them together."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

LEAST_STRAY = 12
"""Characters of the shortest run."""
_FIRST_PLANE = 0xFFFF
# Between the first plane and the ideographs of the others: ancient scripts, signs, emoji.
_RUN = re.compile(
    f"[\U00010000-\U0001ffff](?:\\s?[\U00010000-\U0001ffff\U000e0000-\U0010ffff]){{{LEAST_STRAY - 1},}}"
)
_BLOCK = 12
"""Bits of a code point within a block of 4,096. Emoji are in one, cuneiform in another."""
_BLOCKS = 5


def find_stray_characters(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of characters of many scripts beyond the first plane, as (start, end, kind)."""
    for found in _RUN.finditer(text):
        if len({ord(char) >> _BLOCK for char in found.group() if not char.isspace()}) >= _BLOCKS:
            yield (*found.span(), "characters")


def stray_places(codes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Where code points are beyond the first plane: without `LEAST_STRAY` of them there is no run."""
    return np.flatnonzero(codes > _FIRST_PLANE)
