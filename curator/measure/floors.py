"""How far the baseline is from itself: BF16 at one batch size against BF16 at another."""

from __future__ import annotations

from typing import Any

import numpy as np

from curator.measure.baseline import Baseline
from curator.measure.sparse import sparse_divergences


def baseline_floors(baseline: Baseline) -> dict[str, dict[str, Any]]:
    """Mean KL of the primary batch size against each other one, from the stored lists.

    Returns:
        ``{name: {"kl": nats a token, "words"}}``: context for a candidate's KL, never subtracted from it.
        Empty when only one batch size was taken.
    """
    sizes = baseline.manifest["settings"]["batch_sizes"]
    primary = baseline.scores(sizes[0])
    floors: dict[str, dict[str, Any]] = {}
    for size in sizes[1:]:
        pairs = zip(primary, baseline.scores(size), strict=True)
        values = [
            sparse_divergences(
                one.top_ids,
                one.top_logprobs,
                other.top_ids,
                other.top_logprobs,
                int(baseline.manifest["vocabulary"]),
            )["union"]
            for one, other in pairs
        ]
        floors[f"batch_{size}"] = {
            "kl": float(np.concatenate(values).mean()),
            "words": f"BF16 at batch {sizes[0]} against BF16 at batch {size}; context, not subtracted",
        }
    return floors
