"""What the server gave beside the same model in process, in BF16 and in float32, prefilled and decoded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import PHASES
from curator.measure.sparse import sparse_divergences
from curator.serve.in_process import InProcess
from curator.serve.interface import Dtype
from sglang_gpu.measure import Prompts

_DTYPES: tuple[Dtype, ...] = ("bfloat16", "float32")


def beside_in_process(model: Path, prompts: Prompts, count: int) -> dict[str, Any]:
    """KL(server || in process) over the first prompts, by compute type and phase, at the primary batch size."""
    baseline = Baseline(prompts.baseline)
    windows, size = baseline.windows[:count], prompts.sizes[0]
    vocabulary = int(baseline.manifest["vocabulary"])
    found: dict[str, Any] = {"prompts": count, "batch_size": size}
    for dtype in _DTYPES:
        local = InProcess(model, None, dtype)
        for phase in PHASES:
            ask = local.score if phase == "prefill" else local.force
            stored = baseline.scores(size, phase)[:count]
            kl, moved = [], []
            for mine, theirs in zip(stored, ask(windows, baseline.top_k, size), strict=True):
                lists = (mine.top_ids, mine.top_logprobs, theirs.top_ids, theirs.top_logprobs)
                kl.append(sparse_divergences(*lists, vocabulary)["union"])
                moved.append(np.abs(mine.chosen - theirs.chosen))
            each, steps = np.concatenate(kl), np.concatenate(moved)
            found[f"{dtype} {phase}"] = {
                "tokens": len(each),
                "kl_mean": float(each.mean()),
                "kl_max": float(each.max()),
                "chosen_logprob_moved_mean": float(steps.mean()),
                "chosen_logprob_moved_max": float(steps.max()),
            }
        local.close()
    return found
