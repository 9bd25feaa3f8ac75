"""From per-token tables to means: token, then prompt, then task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def prompt_means(table: pd.DataFrame, column: str, prompts: Sequence[str]) -> NDArray[np.float64]:
    """Mean of ``column`` over each prompt's tokens, in the order of ``prompts``."""
    means = table.groupby("prompt")[column].mean()
    values: NDArray[np.float64] = means.reindex(list(prompts)).to_numpy(dtype=np.float64)
    return values


def weighted(table: pd.DataFrame, column: str) -> float | None:
    """Mean over tokens, then prompts, then tasks, each task weighing the same; ``None`` where nothing is known."""
    means = table.groupby(["task", "prompt"])[column].mean().groupby(level="task").mean()
    value = float(means.mean())
    return value if np.isfinite(value) else None


def _families(table: pd.DataFrame) -> dict[str, Any]:
    """KL of the prompts of each source family: of those that a set draws on, and of others; exploratory."""
    means = table.groupby(["corpus", "prompt"])["kl"].mean().groupby(level="corpus")
    return {str(corpus): {"kl_mean": float(values.mean()), "prompts": len(values)} for corpus, values in means}


def score_summary(table: pd.DataFrame, interval: tuple[float, float] | None) -> dict[str, Any]:
    """The numbers of one candidate, for ``curate score``."""
    tasks = {}
    for task, rows in table.groupby("task", sort=False):
        tasks[str(task)] = {name: weighted(rows, name) for name in ("top1", "cosine")}
        tasks[str(task)]["kl_mean"] = weighted(rows, "kl")
    return {
        "kl_mean": weighted(table, "kl"),
        "kl_ci": None if interval is None else list(interval),
        "kl_p99": float(table["kl"].quantile(0.99)),
        "kl_lower_bound": weighted(table, "kl_lumped"),
        "cosine": weighted(table, "cosine"),
        "top1": weighted(table, "top1"),
        "by_task": tasks,
        "by_family": _families(table),
    }
