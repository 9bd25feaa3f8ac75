"""KL by where a token stands in its continuation, and by the length of its prompt; exploratory.

Both are plain means over prompts: length goes with the task, and the later a token the fewer prompts have one, so
that no bin holds every task in equal measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from curator.measure.baseline import Baseline
from curator.rank.statistical_design import MIN_PROMPTS, ArmKL, DataActs, Design, FloatArray
from curator.rank.statistics import arm_interval, arm_mean

POSITION_BINS = 16
LENGTH_BINS = 5
# Fewer prompts give an interval that says nothing.
_LEAST = 4
_ALL = "all prompts"


def by_position(
    baseline: Baseline, arms: Sequence[ArmKL], tables: Mapping[str, Sequence[pd.DataFrame]], acts: DataActs
) -> dict[str, Any]:
    """KL of each arm by the scored token's place behind the prompt.

    Args:
        baseline: whose windows say where scoring begins.
        arms: in the order of the result.
        tables: per-token tables of each arm's draws, by its name.
        acts: see `Design`.

    Returns:
        ``bins`` (``first`` and ``last`` token, counted from 1, and ``prompts`` that have one) and ``arms``: ``kl``
        and ``ci`` by name, a value a bin, nats a token. Only bins that two prompts have.
    """
    ids = [prompt["id"] for prompt in baseline.prompts]
    skipped = {name: window.start - window.prompt for name, window in zip(ids, baseline.windows, strict=True)}
    length = max((len(window.ids) - window.prompt for window in baseline.windows), default=1)
    width = -(-length // POSITION_BINS)
    values = {arm.name: np.stack([_binned(one, skipped, ids, width) for one in tables[arm.name]]) for arm in arms}
    count = min((value.shape[2] for value in values.values()), default=0)
    bins, found = [], []
    for place in range(count):
        present = np.isfinite(next(iter(values.values()))[0, :, place])
        if present.sum() >= MIN_PROMPTS:
            bins.append({"first": place * width + 1, "last": min(length, (place + 1) * width),
                         "prompts": int(present.sum())})  # fmt: skip
            found.append([_part(arm, values[arm.name][:, present, place], acts) for arm in arms])
    return _document(bins, arms, found)


def by_length(lengths: Sequence[int], arms: Sequence[ArmKL], acts: DataActs) -> dict[str, Any]:
    """KL of each arm by tokens of the prompt, in bins of about as many prompts each.

    The bins are the run's own: all its prompts may be short, and lie in one bin of a score document.

    Args:
        lengths: tokens of each prompt.
        arms: KL of the same prompts.
        acts: see `Design`.

    Returns:
        As `by_position`, with ``first`` and ``last`` as tokens of the shortest and longest prompt of a bin.
    """
    bins, found = [], []
    for members in _length_bins(np.array(lengths)):
        own = np.array(lengths)[members]
        bins.append({"first": int(own.min()), "last": int(own.max()), "prompts": len(members)})
        found.append([_part(arm, arm.values[:, members], acts) for arm in arms])
    return _document(bins, arms, found)


def _length_bins(lengths: NDArray[np.int_]) -> list[NDArray[np.intp]]:
    """Prompts of each bin; those of one length are never parted."""
    wanted = max(1, min(LENGTH_BINS, len(lengths) // _LEAST))
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, wanted + 1)[1:-1], method="lower"))
    places = np.searchsorted(edges, lengths, side="left")
    bins = [np.flatnonzero(places == place) for place in range(len(edges) + 1)]
    return [members for members in bins if len(members) >= MIN_PROMPTS]


def _binned(table: pd.DataFrame, skipped: Mapping[str, int], ids: Sequence[str], width: int) -> FloatArray:
    """[P, bins] mean KL of a prompt's tokens in a bin; NaN where it has none."""
    place = (table["prompt"].map(skipped) + table["position"]) // width
    means = table["kl"].groupby([table["prompt"], place]).mean().unstack()
    columns = range(int(place.max()) + 1)
    return np.asarray(means.reindex(index=list(ids), columns=list(columns)), dtype=np.float64)


def _part(arm: ArmKL, values: FloatArray, acts: DataActs) -> tuple[float, list[float]]:
    own = replace(arm, values=values, lower=None)
    design = Design((_ALL,) * values.shape[1], {_ALL: 1.0}, data_acts=acts)
    return arm_mean(own, design), list(arm_interval(own, design))


def _document(
    bins: list[dict[str, int]], arms: Sequence[ArmKL], found: Sequence[Sequence[tuple[float, list[float]]]]
) -> dict[str, Any]:
    if not bins:
        return {}
    return {
        "bins": bins,
        "arms": {
            arm.name: {"kl": [row[index][0] for row in found], "ci": [row[index][1] for row in found]}
            for index, arm in enumerate(arms)
        },
    }
