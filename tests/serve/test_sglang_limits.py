from __future__ import annotations

import sys
from typing import Any

import pytest

from curator.serve.sglang.limits import Budget

INFO: dict[str, Any] = {
    "max_req_input_len": 8186,
    "max_total_num_tokens": 65536,
    "max_running_requests": 32,
    "chunked_prefill_size": 4096,
    "page_size": 1,
    "dp_size": 1,
}


@pytest.mark.parametrize(
    ("lengths", "new", "limit"),
    [
        # 32 sequences of 1,000 + 128 + 1 tokens are 36,128 tokens: only the number of sequences limits.
        ([1000] * 100, 128, 32),
        # 8,000 + 128 + 1 = 8,129: 65,536 // 8,129 = 8.
        ([8000] * 100, 128, 8),
        # The longest decide: 60,001 leaves room for 5,535, so for one of 3,001 and none of 60,001.
        ([10] * 50 + [60_000, 3_000, 3_000], 0, 2),
        ([70_000], 0, 0),
        ([], 128, 32),
    ],
)
def test_the_largest_batch_is_what_the_cache_holds_of_the_longest(
    lengths: list[int], new: int, limit: int
) -> None:
    assert Budget.of(INFO).batch_limit(lengths, new) == limit


def test_pages_are_filled_whole_and_replicas_each_hold_their_own() -> None:
    # 100 + 28 + 1 tokens are three pages of 64; 384 tokens hold two such sequences, on each of two replicas.
    info = {**INFO, "max_total_num_tokens": 384, "page_size": 64, "dp_size": 2}
    assert Budget.of(info).batch_limit([100] * 9, 28) == 4
    # 32 over both; the scheduler's own number, where it tells one, is that of a replica.
    assert Budget.of({**INFO, "dp_size": 2}).batch_limit([1], 1) == 32
    state = [{"effective_max_running_requests_per_dp": 7}]
    assert Budget.of({**INFO, "internal_states": state}).batch_limit([1], 1) == 7


def test_a_server_that_says_nothing_limits_nothing() -> None:
    budget = Budget.of({"max_total_num_tokens": None, "chunked_prefill_size": -1, "internal_states": [None]})
    assert budget.batch_limit([10**6] * 10, 10) == sys.maxsize
    assert budget.longest() is None
    assert budget.prefilled_together([10**6] * 10) == 10


def test_prompts_of_one_prefill_step() -> None:
    budget = Budget.of(INFO)
    assert budget.prefilled_together([1000] * 8) == 4
    assert budget.prefilled_together([9000, 10]) == 1
    assert budget.longest() == 8185
