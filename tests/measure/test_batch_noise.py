"""Case 033: candidates that differ by less than their own noise, and one that does not; the floor below all."""

from __future__ import annotations

import numpy as np
import pytest

from curator.measure.sparse import sparse_divergences
from curator.rank.statistics import ArmKL, Design, difference

VOCABULARY, POSITIONS, K = 40, 60, 16
Lists = tuple[np.ndarray, np.ndarray]


def listed(logits: np.ndarray) -> Lists:
    logprobs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    ids = np.argsort(-logprobs, axis=-1)[:, :K]
    return ids.astype(np.int32), np.take_along_axis(logprobs, ids, -1).astype(np.float32)


def moved(logits: np.ndarray, seed: int, by: float) -> np.ndarray:
    return logits + np.random.default_rng(seed).normal(size=logits.shape) * by


@pytest.fixture(scope="module")
def kls() -> dict[str, np.ndarray]:
    """KL of each against the baseline at batch 1, from lists of 16 of 40 ids, by position."""
    true = np.random.default_rng(5).normal(size=(POSITIONS, VOCABULARY)) * 2
    base = listed(moved(true, 1, 0.025))
    others = {
        "bs8": moved(true, 2, 0.025),
        "bs32": moved(true, 3, 0.025),
        "A": moved(true, 4, 0.2),
        "B": moved(true, 6, 0.2),
        "C": moved(true, 7, 0.65),
    }
    return {name: sparse_divergences(*base, *listed(one), VOCABULARY)["union"] for name, one in others.items()}


def test_the_floor_is_well_below_the_candidates(kls: dict[str, np.ndarray]) -> None:
    assert max(kls["bs8"].mean(), kls["bs32"].mean()) < min(kls["A"].mean(), kls["B"].mean()) / 10


def test_a_and_b_tie_and_c_is_worse(kls: dict[str, np.ndarray]) -> None:
    design = Design(("t",) * POSITIONS, {"t": 1.0}, data_acts="weights")

    def interval(one: str, other: str) -> tuple[float, float]:
        arms = (ArmKL(name, kls[name][None], False, False) for name in (one, other))
        return difference(*arms, design)[0].interval(0.05)

    low, high = interval("A", "B")
    assert low < 0 < high
    assert interval("C", "A")[0] > 0
    assert interval("C", "B")[0] > 0
