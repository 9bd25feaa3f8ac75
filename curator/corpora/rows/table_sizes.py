"""How large the values of Arrow arrays are once they are Python's: many can be one place in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Sizes = npt.NDArray[np.int64]

# What any value takes at the least, were it only to be looked at.
VALUE = 16
_VIEW_WORDS = 4  # a view is 16 bytes, and its length the first four


def row_sizes(batch: pa.RecordBatch) -> Sizes:
    """[rows] bytes of each row's values, written out. Works without writing any out."""
    total: Sizes = np.full(batch.num_rows, VALUE, dtype=np.int64)
    for column in batch.columns:
        total = total + _sizes(column)
    return total


def _sizes(array: pa.Array) -> Sizes:
    types, kind = pa.types, array.type
    if (
        types.is_string(kind)
        or types.is_binary(kind)
        or types.is_large_string(kind)
        or types.is_large_binary(kind)
    ):
        return _numbers(pc.binary_length(array)) + VALUE
    if types.is_string_view(kind) or types.is_binary_view(kind):
        words = np.frombuffer(array.buffers()[1], dtype=np.int32)[::_VIEW_WORDS]
        return words[array.offset : array.offset + len(array)].astype(np.int64) + VALUE
    if types.is_dictionary(kind):
        return _of_dictionary(array)
    if types.is_struct(kind):
        parts = [_sizes(array.field(index)) for index in range(kind.num_fields)]
        return sum(parts, _even(array, VALUE))
    if types.is_fixed_size_list(kind):
        return _of_fixed_lists(array)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        offsets = _numbers(array.offsets)
        return _of_lists(_inner(array), offsets[:-1], offsets[1:])
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        starts = _numbers(array.offsets)
        return _of_lists(array.values, starts, starts + _numbers(array.sizes))
    if types.is_run_end_encoded(kind):
        return _even(array, int(_sizes(array.values).max(initial=VALUE)))
    return _even(array, VALUE)


def _of_dictionary(array: pa.DictionaryArray) -> Sizes:
    named = _sizes(array.dictionary)
    if not len(named):
        return _even(array, VALUE)
    indices = _numbers(array.indices)
    # Indices outside of the dictionary are refused when the batch is checked.
    return named[np.clip(indices, 0, len(named) - 1)]


def _of_fixed_lists(array: pa.FixedSizeListArray) -> Sizes:
    width = array.type.list_size
    starts = (np.arange(len(array), dtype=np.int64) + array.offset) * width
    return _of_lists(array.values, starts, starts + width)


def _of_lists(values: pa.Array, starts: Sizes, ends: Sizes) -> Sizes:
    upto = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(_sizes(values))])
    last = len(upto) - 1
    found: Sizes = upto[np.clip(ends, 0, last)] - upto[np.clip(starts, 0, last)] + VALUE
    return found


def _inner(array: Any) -> pa.Array:
    if not pa.types.is_map(array.type):
        return array.values
    return pa.StructArray.from_arrays([array.keys, array.items], names=["key", "value"])


def _numbers(array: pa.Array) -> Sizes:
    found: Sizes = pc.fill_null(array, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _even(array: pa.Array, size: int) -> Sizes:
    return np.full(len(array), size, dtype=np.int64)
