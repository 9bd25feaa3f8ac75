"""Best fit decreasing: whole documents into sequences of given room, with little of it left over.

The longest document goes first, each into the sequence that it fills up best. With equal rooms it needs at most
11/9 of the sequences of the best packing, plus 4 (Johnson, 1973); mixes with many short documents come out full.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

# A gap smaller than this is left empty rather than filled with the first words of a document.
LEAST_CUT = 16


def best_fit(sizes: Sequence[int], rooms: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Place documents of ``sizes`` tokens into sequences that have ``rooms``.

    A document that is too long for every gap gives its head to the largest one, if that is a whole sequence, or
    half of the document at least and `LEAST_CUT` tokens: a stump teaches less than an empty gap.

    Returns:
        For each sequence its parts: the document's number, begin and end of the ids taken from it.
    """
    sequences: list[list[tuple[int, int, int]]] = [[] for _ in rooms]
    # Gaps in ascending order; of equal ones the first sequence's comes first.
    gaps = sorted((room, place) for place, room in enumerate(rooms) if room > 0)
    left_over = []
    for number in sorted(range(len(sizes)), key=lambda number: (-sizes[number], number)):
        size = sizes[number]
        at = bisect_left(gaps, (size, -1))
        if size == 0:
            continue
        if at == len(gaps):
            left_over.append(number)
            continue
        room, place = gaps.pop(at)
        sequences[place].append((number, 0, size))
        if room > size:
            insort(gaps, (room - size, place))
    # Only now: a head must not take the room of a document that fits whole.
    for number in left_over:
        if not gaps:
            break
        room, place = gaps[-1]
        if sequences[place] and room < max(LEAST_CUT, sizes[number] / 2):
            continue
        gaps.pop()
        sequences[place].append((number, 0, room))
    return sequences
