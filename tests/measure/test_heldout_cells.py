from __future__ import annotations

import random
from fractions import Fraction

import pytest
from profiles import profile_of

from curator._errors import InputError
from curator.measure.heldout.cells import allotted, wanted_cells


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        ([30, 30, 30, 30, 30], 200, [40, 40, 40, 40, 40]),
        # 200 x 7/10 = 140 and so on, with nothing left over.
        ([7, 2, 1], 200, [140, 40, 20]),
        # A cell of one in a thousand would get a fifth of a prompt: it gets one, the others share 199.
        ([999, 1], 200, [199, 1]),
        # 10 x 1/3: the first of equal remainders gets the tenth.
        ([5, 5, 5], 10, [4, 3, 3]),
        # More cells than prompts: one each.
        ([5, 5, 5], 2, [1, 1, 1]),
        # What the small ones get makes the next share less than one, too: 4 x 20/102 < 1.
        ([80, 20, 1, 1], 4, [1, 1, 1, 1]),
        ([8], 3, [3]),
    ],
)
def test_prompts_go_to_cells_in_proportion_but_none_goes_without(
    sizes: list[int], total: int, expected: list[int]
) -> None:
    assert allotted(sizes, total) == expected


def test_no_cell_is_a_whole_prompt_away_from_its_share_of_what_the_small_ones_leave() -> None:
    rng = random.Random(3)
    for _ in range(200):
        sizes = [rng.choice([1, 2, 5, 30, 400]) for _ in range(rng.randrange(1, 30))]
        total = rng.randrange(len(sizes), 300)
        counts = allotted(sizes, total)
        assert sum(counts) == total
        assert min(counts) >= 1
        large = [(size, count) for size, count in zip(sizes, counts, strict=True) if count > 1]
        for size, count in large:
            # Never more than a proportional share of everything, rounded up.
            assert count < Fraction(size * total, sum(sizes)) + 1
        assert all(one[1] >= two[1] for one in large for two in large if one[0] > two[0])


def test_lengths_are_those_of_the_cells_own_items() -> None:
    profile = profile_of([("qa", "en", length, None) for length in (1030, 1200, 1400, 1600, 2000)])
    (cell,) = wanted_cells(profile, 5)
    assert cell.lengths == (1046, 1200, 1400, 1600, 2000)  # 1030 x 0.98 would fall into the bin below
    assert (cell.low, cell.high, cell.shortened, cell.output_tokens) == (1025, 2048, 0, None)
    (cell,) = wanted_cells(profile, 2)
    assert cell.lengths == (1200, 1600)
    (cell,) = wanted_cells(profile, 10)
    assert sorted(set(cell.lengths)) == [1046, 1200, 1400, 1600, 2000]
    assert cell.name == "qa/en/2048"


def test_cells_are_of_both_lengths_and_the_output_is_the_mean() -> None:
    profile = profile_of(
        [("qa", "en", 600, 10), ("qa", "en", 700, 15), ("qa", "en", 700, 100), ("mcq", "zh", 90, 1)]
    )
    cells = wanted_cells(profile, 4)
    assert [cell.name for cell in cells] == ["qa/en/1024/16", "qa/en/1024/128", "mcq/zh/128/1"]
    assert [cell.output_tokens for cell in cells] == [13, 100, 1]  # 12.5 is rounded up
    assert [cell.output_tokens for cell in wanted_cells(profile, 4, max_new=14)] == [13, 14, 1]


def test_a_limit_shortens_what_is_longer_and_nothing_else() -> None:
    profile = profile_of([("qa", "en", 74_000, None), ("qa", "en", 900, None), ("mcq", "en", 300, None)])
    long, mid, short = sorted(
        wanted_cells(profile, 3, max_tokens=800), key=lambda cell: -cell.high - len(cell.name)
    )
    assert (long.name, long.lengths, long.low, long.high, long.shortened) == ("qa/en/131072", (800,), 784, 800, 1)
    # The limit lies within this bin.
    assert (mid.name, mid.lengths, mid.low, mid.high, mid.shortened) == ("qa/en/1024", (800,), 513, 800, 1)
    assert (short.name, short.lengths, short.shortened) == ("mcq/en/512", (300,), 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"items": 0}, "0 items; both must be 1 or more"),
        ({"items": -1}, "-1 items; both must be 1 or more"),
        ({"prompt_upto": 10**18}, "no prompt is longer than 1,048,576 tokens"),
        ({"task": "nope"}, "the profile has no such task"),
        ({"prompt_upto": 0}, "no prompts with text"),
    ],
)
def test_cells_that_no_measured_profile_has_are_refused_in_a_line(change: dict[str, object], said: str) -> None:
    profile = profile_of([("qa", "en", 1200, None)])
    odd = profile.model_copy(update={"cells": [profile.cells[0].model_copy(update=change)]})
    with pytest.raises(InputError, match=said) as error:
        wanted_cells(odd, 5)
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="no prompts with text"):
        wanted_cells(profile.model_copy(update={"cells": []}), 5)


def test_empty_prompts_of_an_evaluation_ask_for_none() -> None:
    profile = profile_of([("qa", "en", 1200, None)])
    empty = profile.cells[0].model_copy(update={"prompt_upto": 0})
    both = profile.model_copy(update={"cells": [empty, *profile.cells]})
    assert [cell.name for cell in wanted_cells(both, 5)] == ["qa/en/2048"]


def test_a_cell_that_is_longer_than_any_prompt_is_shortened_when_asked() -> None:
    profile = profile_of([("qa", "en", 1200, None)])
    huge = profile.model_copy(update={"cells": [profile.cells[0].model_copy(update={"prompt_upto": 2**30})]})
    assert wanted_cells(huge, 2, max_tokens=64)[0].lengths == (64, 64)
