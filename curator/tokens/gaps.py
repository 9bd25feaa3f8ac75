"""Room left in sequences: whole texts are put where they leave least of it (best fit).

Put in decreasing order of their size into equal rooms, texts need at most 11/9 of the sequences of the best
packing, plus 4 (Johnson, 1973); mixes with many short texts come out full.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

LEAST = 16
"""A smaller gap is left empty rather than filled with the first words of a text."""


class Gaps:
    """What is in each sequence so far, and the room left.

    Args:
        rooms: tokens of each sequence.

    Attributes:
        names: of the texts in each sequence, in the order in which they came.
    """

    def __init__(self, rooms: Sequence[int]) -> None:
        self.names: list[list[str]] = [[] for _ in rooms]
        # In ascending order; of equal ones the first sequence's comes first.
        self._gaps = sorted((room, place) for place, room in enumerate(rooms) if room >= LEAST)

    def largest(self) -> int:
        """The most tokens that a text can have; 0 when all is full."""
        return self._gaps[-1][0] if self._gaps else 0

    def fitting(self, size: int) -> int:
        """The smallest room that takes ``size`` tokens; 0 where there is none."""
        at = bisect_left(self._gaps, (size, -1))
        return self._gaps[at][0] if at < len(self._gaps) else 0

    def put(self, name: str, size: int) -> int:
        """Put a text into the smallest room that takes it; there must be one.

        Returns:
            Tokens of that room which stay empty, as they are too few for another text.
        """
        room, place = self._gaps.pop(bisect_left(self._gaps, (size, -1)))
        self.names[place].append(name)
        left = room - size
        if left < LEAST:
            return left
        insort(self._gaps, (left, place))
        return 0
