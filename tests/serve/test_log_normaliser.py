"""The logarithm of a sum of exponentials, where the sum itself could not be held."""

from __future__ import annotations

import math

import pytest
import torch

from curator.serve.log_normaliser import log_normaliser


def test_it_is_the_logarithm_of_the_sum() -> None:
    # ln(1 + 2 + 5) = ln 8; shifted by 1000, beyond what exp can give.
    row = [math.log(1), math.log(2), math.log(5)]
    logits = torch.tensor([row, [value - 20 for value in row], [0.0, 0.0, 0.0], [1000.0, 1000.0, -math.inf]])
    found = log_normaliser(logits)
    assert found.dtype == torch.float64 and found.shape == (4, 1)
    expected = [math.log(8), math.log(8) - 20, math.log(3), 1000 + math.log(2)]
    # Float32 logits are right to 6e-8 of their size.
    assert found[:, 0].tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_what_is_no_number_gives_none(broken: float) -> None:
    found = log_normaliser(torch.tensor([[0.0, broken], [0.0, 1.0]]))
    assert found.isfinite().tolist() == [[False], [True]]
