from __future__ import annotations

import pytest
import torch

from curator.quantize.finite import is_finite


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_one_bad_number_is_found_wherever_it_is(dtype: torch.dtype) -> None:
    """As ``torch.isfinite`` finds it, also in the parts that vector instructions leave over."""
    largest = torch.finfo(dtype).max
    for shape in ((1,), (7, 3), (33,), (5, 129), (3, 2, 17)):
        sound = torch.full(shape, largest, dtype=dtype)
        sound.view(-1)[::2] = -largest
        assert is_finite(sound)
        for place in range(sound.numel()):
            for bad in (float("nan"), float("inf"), -float("inf")):
                broken = sound.clone()
                broken.view(-1)[place] = bad
                assert not is_finite(broken), (shape, place, bad)
    # Views that are not contiguous, and what has no numbers at all.
    table = torch.zeros(6, 40, dtype=dtype)
    table[4, 3] = float("nan")
    assert is_finite(table[:4].T)
    assert not is_finite(table.T[2:, ::2])
    assert is_finite(torch.empty(0, 16, dtype=dtype))
