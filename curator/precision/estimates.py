"""Means over prompts with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.rank.statistics import ArmKL, Design, difference


def design_of(tasks: Sequence[str]) -> Design:
    """Every task weighs the same, as in the primary number of a ranking."""
    names = dict.fromkeys(tasks)
    return Design(tuple(tasks), dict.fromkeys(names, 1 / len(names)), data_acts="weights")


def estimate_of(values: NDArray[np.float64], design: Design) -> dict[str, Any]:
    """KL over prompts: ``mean``, ``se``, ``ci`` (95 %, of these weights, over prompts) and ``per_prompt``."""
    # Against the BF16 model itself, whose KL is 0 on each prompt.
    arms = [ArmKL(name, rows[None], False, False) for name, rows in (("part", values), ("BF16", 0 * values))]
    found = difference(arms[0], arms[1], design)[0]
    low, high = found.interval(design.alpha)
    return {
        "mean": found.value,
        "se": found.se,
        "ci": [max(low, 0.0), max(high, 0.0)],
        "per_prompt": values.tolist(),
    }
