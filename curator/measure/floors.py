"""How far the baseline is from itself: one batch size against another, decoding against prefill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from curator.measure.baseline import Baseline
from curator.measure.sparse import sparse_divergences
from curator.measure.summary import weighted
from curator.serve.interface import Scores


def baseline_floors(baseline: Baseline) -> dict[str, dict[str, Any]]:
    """Mean KL and top-1 agreement between parts of the baseline, from the stored lists.

    Returns:
        ``{name: {"kl": nats a token, "top1", "phase", "words"}}``: context for a candidate's KL, never subtracted
        from it. Empty when only one batch size and one phase were taken.
    """
    primary, name = baseline.batch_size, baseline.reference
    floors: dict[str, dict[str, Any]] = {}
    for phase in baseline.phases(primary):
        for size in baseline.sizes[1:]:
            if phase in baseline.phases(size):
                words = f"{name} {phase} at batch {primary} against {name} at batch {size}"
                pair = baseline.scores(primary, phase), baseline.scores(size, phase)
                floors[f"{phase}_batch_{size}"] = {**_apart(baseline, *pair), "phase": phase, "words": words}
    if len(baseline.phases(primary)) > 1:
        words = f"{name} decoded against {name} prefilled, batch {primary}"
        pair = baseline.scores(primary, "decode"), baseline.scores(primary, "prefill")
        floors["decode_prefill"] = {**_apart(baseline, *pair), "phase": "both", "words": words}
    return floors


def _apart(baseline: Baseline, one: Sequence[Scores], other: Sequence[Scores]) -> dict[str, float | None]:
    frames = []
    for prompt, a, b in zip(baseline.prompts, one, other, strict=True):
        found = sparse_divergences(a.top_ids, a.top_logprobs, b.top_ids, b.top_logprobs, baseline.vocabulary)
        frames.append(
            pd.DataFrame({"kl": found["union"], "top1": found["top1"]}).assign(
                prompt=prompt["id"], task=prompt["task"]
            )
        )
    table = pd.concat(frames, ignore_index=True)
    return {"kl": weighted(table, "kl"), "top1": weighted(table, "top1")}


def batch_spread(means: Sequence[float]) -> float | None:
    """SD of the same mean KL at several batch sizes, in nats a token; ``None`` for one."""
    return float(np.std(means, ddof=1)) if len(means) > 1 else None
