"""One checkpoint's KL against the stored baseline, in a process of its own beside others."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.measure.baseline import Baseline
from curator.measure.comparable import check_comparable
from curator.measure.score import score_candidate
from curator.measure.summary import prompt_means, weighted
from curator.rank.statistics import ArmKL, Design, arm_interval, arm_mean
from curator.recipe.quantize_methods import Scheme


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be scored.

    Attributes:
        baseline: its folder.
        checkpoint: folder.
        scheme: how the checkpoint is evaluated.
        workers: processes that score at the same time and share the cores.
    """

    baseline: Path
    checkpoint: Path
    scheme: Scheme
    workers: int


@dataclass(frozen=True, slots=True)
class Scored:
    """What came of it.

    Attributes:
        values: KL of each prompt, the mean over its tokens.
        row: mean, interval and top-1, for the results.
    """

    values: NDArray[np.float64]
    row: dict[str, Any]


def design_of(prompts: list[dict[str, str]]) -> Design:
    """All tasks weigh the same; the sets are at hand, none is drawn again."""
    tasks = tuple(prompt["task"] for prompt in prompts)
    return Design(tasks, {task: 1 / len(set(tasks)) for task in tasks}, data_acts="weights")


def score(asked: Asked) -> Scored:
    """Score a checkpoint; run by a pool of processes."""
    import torch

    from curator.serve.in_process import InProcess

    torch.set_num_threads(max(1, (os.cpu_count() or 1) // asked.workers))
    started = time.monotonic()
    baseline = Baseline(asked.baseline)
    server = InProcess(asked.checkpoint, asked.scheme)
    try:
        check_comparable(baseline, server)
        table = score_candidate(baseline, server, baseline.batch_size, lambda _: None)
    finally:
        server.close()
    values = prompt_means(table, "kl", [prompt["id"] for prompt in baseline.prompts])
    arm, design = ArmKL(asked.checkpoint.name, values[None], False, False), design_of(baseline.prompts)
    row = {
        "mean": arm_mean(arm, design),
        "interval_95": arm_interval(arm, design),
        "top1": weighted(table, "top1"),
        "estimator": table.attrs["estimator"],
        "seconds": round(time.monotonic() - started, 1),
    }
    return Scored(values, row)
