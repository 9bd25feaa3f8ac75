"""Best fit: where texts go, what room stays, and that little is wasted."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from curator.tokens.gaps import LEAST, Gaps


def test_a_text_goes_where_it_leaves_least() -> None:
    gaps = Gaps([100, 60, 100])
    assert (gaps.largest(), gaps.fitting(50), gaps.fitting(61), gaps.fitting(101)) == (100, 60, 100, 0)
    assert gaps.put("a", 40) == 0
    # 20 are left of the second; of the two equal ones the first comes first.
    assert gaps.put("b", 21) == 0
    assert gaps.put("c", 20) == 0
    # 79 of the first; a rest of less than 16 is given up, and told.
    assert gaps.put("d", 79 - LEAST + 1) == LEAST - 1
    assert gaps.names == [["b", "d"], ["a", "c"], []]
    assert gaps.put("e", 100 - LEAST) == 0
    assert (gaps.largest(), gaps.fitting(LEAST + 1)) == (LEAST, 0)


def test_rooms_for_less_than_a_text_hold_nothing() -> None:
    assert Gaps([LEAST - 1, 0, -3]).largest() == 0


@given(st.lists(st.integers(1, 80), max_size=20), st.lists(st.integers(0, 90), max_size=6))
def test_no_room_is_given_twice_and_none_is_refused_that_is_there(sizes: list[int], rooms: list[int]) -> None:
    gaps, lost = Gaps(rooms), 0
    left = [room if room >= LEAST else 0 for room in rooms]
    for number, size in enumerate(sizes):
        fits = [room for room in left if room >= size]
        assert gaps.fitting(size) == min(fits, default=0)
        if not fits:
            continue
        lost += gaps.put(str(number), size)
        place = next(at for at, names in enumerate(gaps.names) if str(number) in names)
        assert left[place] == min(fits)
        left[place] = left[place] - size if left[place] - size >= LEAST else 0
        assert gaps.largest() == max(left)
    used = sum(sizes[int(name)] for names in gaps.names for name in names)
    assert used + lost + sum(left) == sum(room for room in rooms if room >= LEAST)


def test_the_longest_first_waste_next_to_nothing() -> None:
    # Lengths as documents have them: many short, few long (log-normal), 64 sequences of 2,048 tokens.
    draw, rooms = random.Random(5), [2048] * 64
    sizes: list[int] = []
    while sum(sizes) < sum(rooms):
        sizes.append(min(2048, max(8, int(draw.lognormvariate(5.8, 1.1)))))
    gaps = Gaps(rooms)
    fitted = [size for size in sorted(sizes, reverse=True) if gaps.fitting(size) and gaps.put("", size) >= 0]
    assert sum(fitted) / sum(rooms) > 0.995
