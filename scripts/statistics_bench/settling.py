"""Whether as many draws or prompts as the tool says would settle a pair do so, as often as it says."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from curator.rank.settle import Settle, settle
from curator.rank.verdict import compare
from statistics_bench.pairs import chunks
from statistics_bench.worlds import World, as_arms


def settling_rates(world: World, runs: int, seed: int) -> dict[str, Any]:
    """A pair that truly differs, with the true difference taken for the one seen, as the tool's number assumes.

    Returns:
        Of ``draws`` and of ``prompts``: ``count``, the median of what the runs say is needed, and ``separated``,
        the share of runs with so many that separate the pair; ``None`` where most say that they alone do not do.
    """
    truth = world.effects[0] - world.effects[1]
    said = [_needed(world, values, truth) for some, _ in chunks(world, runs, seed) for values in some]
    found: dict[str, Any] = {"world": asdict(world), "runs": runs, "draws": None, "prompts": None}
    for what in ("draws", "prompts"):
        counts = [getattr(one, what) if one else None for one in said]
        known = sorted(np.inf if count is None else count for count in counts)
        median = known[len(known) // 2]
        if np.isfinite(median):
            larger = replace(world, **{what: int(median)})
            found[what] = {"count": int(median), "separated": _separated(larger, runs, seed)}
    return found


def _needed(world: World, values: Any, truth: float) -> Settle | None:
    estimate = compare(*as_arms(values), world.design()).estimate
    return settle(replace(estimate, value=truth), 0.0, 1, 0.05)


def _separated(world: World, runs: int, seed: int) -> float:
    design = world.design()
    verdicts = [
        compare(*as_arms(values), design).verdict for some, _ in chunks(world, runs, seed + 1) for values in some
    ]
    return sum(verdict != "tied" for verdict in verdicts) / runs
