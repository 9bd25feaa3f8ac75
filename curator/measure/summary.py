"""From per-token tables to means: token, then prompt, then task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Tokens of a prompt: halfway, on a logarithmic scale, between 0.5k, 8k, 32k and 74k.
LENGTH_BINS = (("up to 2k", 2_048), ("2k to 16k", 16_384), ("16k to 48k", 49_152), ("over 48k", math.inf))


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


def by_length(table: pd.DataFrame, lengths: Mapping[str, int]) -> dict[str, Any]:
    """KL by tokens of the prompt; exploratory. Only bins that have prompts, the shortest first.

    Args:
        table: per-token table.
        lengths: tokens of each prompt, by id.
    """
    means = table.groupby("prompt")[["kl", "top1"]].mean()
    bins = [_bin(lengths[str(prompt)]) for prompt in means.index]
    rows = {}
    for name, _ in LENGTH_BINS:
        own = means[[place == name for place in bins]]
        if len(own):
            rows[name] = {
                "kl_mean": float(own["kl"].mean()),
                "top1": float(own["top1"].mean()),
                "prompts": len(own),
            }
    return rows


def _bin(length: int) -> str:
    return next(name for name, most in LENGTH_BINS if length <= most)


def score_summary(
    table: pd.DataFrame, interval: tuple[float, float] | None, lengths: Mapping[str, int]
) -> dict[str, Any]:
    """The numbers of one candidate in one phase at one batch size.

    Args:
        table: per-token table.
        interval: of the mean KL.
        lengths: tokens of each prompt, by id.
    """
    tasks = {}
    for task, rows in table.groupby("task", sort=False):
        tasks[str(task)] = {name: weighted(rows, name) for name in ("top1", "cosine")}
        tasks[str(task)]["kl_mean"] = weighted(rows, "kl")
        tasks[str(task)]["prompts"] = int(rows["prompt"].nunique())
    exact = table.attrs.get("estimator") == "full vocabulary"
    # The lower bound and the other estimate belong beside an estimate from lists, not beside the exact value.
    lists = (
        {}
        if exact
        else {"kl_lower_bound": weighted(table, "kl_lumped"), "kl_uniform": weighted(table, "kl_uniform")}
    )
    return {
        "kl_mean": weighted(table, "kl"),
        "kl_ci": None if interval is None else list(interval),
        "kl_median": float(table["kl"].median()),
        "kl_p99": float(table["kl"].quantile(0.99)),
        "kl_max": float(table["kl"].max()),
        **lists,
        "js": weighted(table, "js"),
        "cosine": weighted(table, "cosine"),
        "top1": weighted(table, "top1"),
        "delta_logprob": weighted(table, "delta_logprob"),
        "by_task": tasks,
        "by_family": _families(table),
        "by_length": by_length(table, lengths),
    }
