"""KL by position and by length, against sums by hand."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from curator.rank.by_place import by_length, by_position
from curator.rank.statistical_design import ArmKL
from curator.serve.interface import Window


def baseline(lengths: list[int], skipped: int = 0) -> Any:
    """Prompts of 3 tokens with continuations of these lengths, scored behind the first ``skipped``."""
    windows = [Window((1,) * (3 + length), 3 + skipped, 3) for length in lengths]
    return cast(Any, SimpleNamespace(prompts=[{"id": f"p{n}"} for n in range(len(lengths))], windows=windows))


def table(values: list[list[float]]) -> pd.DataFrame:
    rows = [
        {"prompt": f"p{n}", "position": place, "kl": kl}
        for n, row in enumerate(values)
        for place, kl in enumerate(row)
    ]
    return pd.DataFrame(rows)


def test_tokens_are_averaged_within_a_prompt_then_over_the_prompts_that_have_them() -> None:
    # 20 tokens at most: bins of two. The third prompt ends after 3 tokens, in the middle of the second bin.
    long = [0.1 * place for place in range(20)]
    draws = [table([long, [2 * kl for kl in long], [1.0, 2.0, 3.0]]), table([long, long, [1.0, 1.0, 1.0]])]
    values = np.zeros((2, 3))
    arm = ArmKL("a", values, True, False)
    found = by_position(baseline([20, 20, 3]), [arm], {"a": draws}, "weights")
    assert found["bins"][0] == {"first": 1, "last": 2, "prompts": 3}
    assert found["bins"][1] == {"first": 3, "last": 4, "prompts": 3}
    assert found["bins"][2] == {"first": 5, "last": 6, "prompts": 2}
    assert len(found["bins"]) == 10
    kl = found["arms"]["a"]["kl"]
    # First bin: prompts 0.05, 0.1, 1.5 in draw 0 and 0.05, 0.05, 1 in draw 1.
    assert kl[0] == pytest.approx((0.05 + 0.1 + 1.5 + 0.05 + 0.05 + 1.0) / 6)
    # Second: 0.25, 0.5, 3 and 0.25, 0.25, 1; third: the two long ones alone.
    assert kl[1] == pytest.approx((0.25 + 0.5 + 3.0 + 0.25 + 0.25 + 1.0) / 6)
    assert kl[2] == pytest.approx((0.45 + 0.9 + 0.45 + 0.45) / 4)
    low, high = found["arms"]["a"]["ci"][1]
    assert low < kl[1] < high


def test_a_place_counts_from_the_prompt_even_where_scoring_begins_later() -> None:
    arm = ArmKL("a", np.zeros((1, 2)), True, False)
    found = by_position(baseline([6, 6], skipped=4), [arm], {"a": [table([[0.1, 0.2], [0.3, 0.4]])]}, "weights")
    assert [(one["first"], one["last"]) for one in found["bins"]] == [(5, 5), (6, 6)]
    assert found["arms"]["a"]["kl"] == pytest.approx([0.2, 0.3])


def test_lengths_fall_into_bins_of_about_as_many_prompts_and_equal_ones_stay_together() -> None:
    lengths = [10] * 9 + [20, 30, 40, 50, 1000, 2000, 3000, 4000]
    values = np.array([[float(length) for length in lengths]])
    found = by_length(lengths, [ArmKL("a", values, True, False)], "weights")
    assert sum(one["prompts"] for one in found["bins"]) == len(lengths)
    assert found["bins"][0] == {"first": 10, "last": 10, "prompts": 9}
    edges = [(one["first"], one["last"]) for one in found["bins"]]
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(edges))
    for one, mean in zip(found["bins"], found["arms"]["a"]["kl"], strict=True):
        inside = [length for length in lengths if one["first"] <= length <= one["last"]]
        assert mean == pytest.approx(np.mean(inside))


@pytest.mark.parametrize("lengths", [[5, 5], [7], [1, 2, 3]])
def test_few_prompts_have_one_bin_or_none(lengths: list[int]) -> None:
    found = by_length(lengths, [ArmKL("a", np.ones((1, len(lengths))), True, False)], "weights")
    assert [one["prompts"] for one in found.get("bins", [])] == ([len(lengths)] if len(lengths) > 1 else [])
