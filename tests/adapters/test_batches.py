"""Batches: every row once, in order, never padded or cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from set_folders import RAGGED, model_of

from curator._errors import InputError
from curator.adapters.batches import check_fits, equal_length_batches
from curator.adapters.tensors import tensor_batches

ROWS = st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=6), min_size=1, max_size=20)


@given(ROWS, st.integers(1, 6))
def test_rows_come_whole_and_in_order_at_any_batch_size(rows: list[list[int]], size: int) -> None:
    batches = list(equal_length_batches(rows, size))
    assert [row for batch in batches for row in batch] == rows
    assert all(len(batch) <= size and len({len(row) for row in batch}) == 1 for batch in batches)


def test_neighbours_of_equal_length_share_a_batch() -> None:
    assert [len(batch) for batch in equal_length_batches(RAGGED, 2)] == [2, 2, 1, 1, 1]
    assert [len(batch) for batch in equal_length_batches([[1, 2]] * 5, 4)] == [4, 1]


@pytest.mark.parametrize("size", [1, 2, 4])
def test_tensors_hold_as_many_tokens_as_the_set(size: int) -> None:
    batches = tensor_batches(RAGGED, size)
    assert [row for batch in batches for row in batch["input_ids"].tolist()] == RAGGED
    assert sum(int(batch["attention_mask"].sum()) for batch in batches) == sum(map(len, RAGGED))
    assert all(batch["attention_mask"].shape == batch["input_ids"].shape for batch in batches)


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_has_at_least_one_row(size: int) -> None:
    with pytest.raises(InputError, match="batch_size"):
        list(equal_length_batches(RAGGED, size))


def test_ids_that_the_model_does_not_have_are_refused() -> None:
    check_fits([[99]], model_of(vocabulary=100))
    with pytest.raises(InputError, match=r"row 2 .* token id 100, the model's vocabulary has 100"):
        check_fits([[99], [3, 100]], model_of(vocabulary=100))


def test_rows_longer_than_the_model_s_positions_are_refused() -> None:
    check_fits([[1] * 64], model_of(positions=64))
    with pytest.raises(InputError, match=r"row 1 .* 65 tokens, the model takes 64"):
        check_fits([[1] * 65], model_of(positions=64))


def test_a_set_without_rows_is_refused() -> None:
    with pytest.raises(InputError, match="no rows"):
        check_fits([], model_of())


def test_the_language_part_of_a_larger_model_counts() -> None:
    model = model_of(vocabulary=10)
    model.config = type(model.config)(text_config=model.config)
    with pytest.raises(InputError, match="vocabulary has 10"):
        check_fits([[10]], model)
