from __future__ import annotations

import random
import statistics

import pytest

from curator.scores.ordered_lists import LIST_ORDER, order_z


@pytest.mark.parametrize(
    "lines",
    [
        [f"{number}. Item of some kind" for number in range(1, 33)],
        [f"CWE-{number * 7}: {chr(122 - number % 26)} weakness" for number in range(1, 33)],
        [f"- entry{number:03d} of the glossary" for number in range(32)],
        sorted(f"{chr(97 + number % 26)}word, {'noun' if number < 26 else 'verb'}" for number in range(32)),
        [f"2026-03-04 10:{number:02d}:00 INFO started" for number in range(32)],
    ],
    ids=["numbered", "numbers by value", "bulleted", "sorted", "dated"],
)
def test_a_list_in_order_has_all_rises(lines: list[str]) -> None:
    # 31 rises of 31, 15.5 expected, standard deviation sqrt(33 / 12).
    assert order_z(lines) == pytest.approx(15.5 / (33 / 12) ** 0.5)
    assert order_z(lines) > LIST_ORDER
    assert order_z(lines[::-1]) == pytest.approx(-order_z(lines))


def test_random_orders_have_mean_zero_and_sd_one() -> None:
    lines = [f"sentence {number}" for number in range(24)]
    found = [order_z(random.Random(seed).sample(lines, 24)) for seed in range(2000)]
    assert abs(statistics.fmean(found)) < 0.1
    assert 0.95 < statistics.stdev(found) < 1.05


def test_equal_lines_are_in_no_order_and_few_have_none() -> None:
    assert order_z(["the same line"] * 30) == 0.0
    assert order_z(["a", "b", "c"]) == 0.0


def test_hostile_numbers_are_compared_by_their_first_digits() -> None:
    assert order_z(["9" * 10**6, "²" * 50, "٣ items", "\ud800", ""]) == pytest.approx(
        order_z(["e", "d", "c", "b", "a"]), abs=3
    )
