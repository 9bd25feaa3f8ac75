from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.select.quotas import split_quota

shares = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(1e-6, 1e6), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("total", "given_shares", "expected"),
    [
        (20, {"chat": 0.5, "code": 0.3, "math": 0.2}, {"chat": 10, "code": 6, "math": 4}),
        # 3.33 each: the one that is left goes to the earlier key.
        (10, {"a": 1, "b": 1, "c": 1}, {"a": 4, "b": 3, "c": 3}),
        # 2.1, 3.5 and 1.4: the largest remainder is b's.
        (7, {"a": 0.3, "b": 0.5, "c": 0.2}, {"a": 2, "b": 4, "c": 1}),
        (0, {"a": 1, "b": 2}, {"a": 0, "b": 0}),
        (1, {"a": 0.1, "b": 0.9}, {"a": 0, "b": 1}),
        (8192, {"t": 5.0}, {"t": 8192}),
    ],
)
def test_splits_worked_out_by_hand(total: int, given_shares: dict[str, float], expected: dict[str, int]) -> None:
    assert split_quota(total, given_shares) == expected


@given(st.integers(0, 10**9), shares)
def test_a_split_is_whole_and_within_one_of_its_share(total: int, given_shares: dict[str, float]) -> None:
    result = split_quota(total, given_shares)
    assert sum(result.values()) == total
    assert list(result) == list(given_shares)
    whole = sum(given_shares.values())
    for key, value in result.items():
        assert value >= 0
        assert abs(value - total * given_shares[key] / whole) <= 1 + 1e-6 * total / 1e3


@given(st.integers(0, 10_000), shares, st.integers(1, 10))
def test_only_the_ratios_count(total: int, given_shares: dict[str, float], power: int) -> None:
    scaled = {key: value * 2**power for key, value in given_shares.items()}
    assert split_quota(total, scaled) == split_quota(total, given_shares)
