"""Two halves of the prompts: every task in both, places kept together, fixed by the seed."""

from __future__ import annotations

from collections import Counter

import pytest

from curator._errors import InputError
from curator.measure.heldout import Prompt
from curator.search.halves import split


def prompt(task: str, unit: str, number: int) -> Prompt:
    return Prompt(f"{task}-{unit}-{number}", task, "c", unit, "en", "MIT", "text")


PROMPTS = [prompt(task, unit, number) for task in ("x", "y") for unit in "abcdef" for number in range(3)]


def test_every_task_is_in_both_halves_and_a_place_in_one() -> None:
    halves = split(PROMPTS, 0)
    assert [Counter(one.task for one in half) for half in halves] == [{"x": 9, "y": 9}] * 2
    units = [{(one.task, one.unit) for one in half} for half in halves]
    assert not units[0] & units[1]
    assert sorted(one.id for half in halves for one in half) == sorted(one.id for one in PROMPTS)
    assert split(PROMPTS, 0) == halves and len({tuple(split(PROMPTS, seed)[0]) for seed in range(9)}) > 3


def test_generated_prompts_of_one_place_are_divided_all_the_same() -> None:
    halves = split([prompt("x", "heldout", number) for number in range(7)], 1)
    assert sorted(map(len, halves)) == [3, 4]


def test_too_few_prompts_are_told() -> None:
    with pytest.raises(InputError, match=r"task 'z' has 3 prompts, which do not divide"):
        split([*PROMPTS, *(prompt("z", "a", number) for number in range(3))], 0)
