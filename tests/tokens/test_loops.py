from __future__ import annotations

import random

import pytest

from curator.tokens.loops import find_loop


def other(count: int, seed: int = 0) -> list[int]:
    """Tokens that say something new all the time."""
    return random.Random(seed).sample(range(1000, 60_000), count)


@pytest.mark.parametrize("period", [1, 2, 7, 40, 256])
def test_four_times_in_a_row_is_a_loop_wherever_it_stands(period: int) -> None:
    times = max(4, -(-24 // period))
    stretch = other(period) * times
    for ids in (stretch, other(50, 1) + stretch, stretch + other(50, 2), other(9, 1) + stretch + other(9, 2)):
        assert find_loop(ids) == f"{period} tokens {times} times in a row"


@pytest.mark.parametrize("period", [8, 40])
def test_three_times_is_emphasis(period: int) -> None:
    assert find_loop(other(400, 1) + other(period) * 3 + other(400, 2)) == ""


def test_a_loop_that_was_cut_in_its_midst_is_found() -> None:
    assert find_loop(other(30, 1) + (other(12) * 5)[:-5]) == "12 tokens 4 times in a row"


def test_short_rows_of_one_token_are_rulers() -> None:
    assert find_loop([5] * 23 + other(40)) == ""
    assert find_loop([5] * 24 + other(40)) == "1 tokens 24 times in a row"


def test_a_list_that_counts_on_and_says_the_same_is_a_loop() -> None:
    line = other(15)
    counting = [token for number in range(20) for token in [number, *line]]
    assert "of its groups of 5 tokens were there before" in find_loop(counting)
    # A table of which a third of every line is new is none.
    table = [token for number in range(40) for token in [*other(8, number + 1), *line[:7]]]
    assert find_loop(table) == ""


def test_text_without_repeats_is_no_loop() -> None:
    assert find_loop([]) == find_loop([1]) == find_loop(other(3000)) == ""
    # Few tokens in no order: what a small alphabet repeats by chance.
    rng = random.Random(4)
    assert find_loop([rng.randrange(30) for _ in range(2000)]) == ""
