from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.scores.windows import window_starts


def texts(count: int) -> list[str]:
    return [f"sentence {number}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "starts"),
    [(0, [0]), (5, [0]), (32, [0]), (33, [0, 1]), (43, [0, 11]), (96, [0, 32, 64]), (128, [0, 32, 64, 96])],
)
def test_windows_that_are_few_cover_all(count: int, starts: list[int]) -> None:
    assert window_starts(texts(count), 4) == window_starts(texts(count), "all") == starts


@given(st.integers(0, 2000))
def test_all_windows_leave_no_sentence_out(count: int) -> None:
    starts = window_starts(texts(count), "all")
    covered = {number for start in starts for number in range(start, min(start + 32, count))}
    assert covered == set(range(count))


@given(st.integers(1, 3000), st.integers(1, 12))
def test_a_bounded_number_has_head_and_tail_and_one_of_each_stratum(count: int, windows: int) -> None:
    every, starts = window_starts(texts(count), "all"), window_starts(texts(count), windows)
    assert len(starts) == min(windows, len(every))
    assert starts == sorted(set(starts))
    assert set(starts) <= set(every)
    if windows > 1:
        assert (starts[0], starts[-1]) == (every[0], every[-1])
    if windows == 4 and len(every) > 4:
        middle = (len(every) - 2) / 2
        assert every.index(starts[1]) <= middle + 1 <= every.index(starts[2]) + 1


def test_the_text_alone_decides_which_are_drawn() -> None:
    long = texts(3200)
    assert window_starts(long, 4) == window_starts(list(long), 4)
    drawn = {tuple(window_starts([*long[:-1], f"end {number}"], 4)) for number in range(20)}
    assert len(drawn) > 10
