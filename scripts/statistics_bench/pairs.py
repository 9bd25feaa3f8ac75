"""A pair on its own: many simulated runs, each judged in every way, and the rates of what came out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.rank.estimate import Estimate
from curator.rank.verdict import compare
from statistics_bench.bootstraps import FloatArray, prompt_bootstrap, two_level_bootstrap
from statistics_bench.worlds import World, as_arms

BOOTSTRAPS = {"bootstrap over prompts": prompt_bootstrap, "two-level bootstrap": two_level_bootstrap}
OURS, PLAIN = "curate", "plain Satterthwaite"
SMALL = 0.005
"""A second level, that of the hardest of ten pairs."""
_TOGETHER = 100


def chunks(world: World, runs: int, seed: int) -> Iterator[tuple[FloatArray, np.random.Generator]]:
    """Simulated runs [some, arms, draws, prompts], and where further chance comes from."""
    for start in range(0, runs, _TOGETHER):
        numbers = range(start, min(start + _TOGETHER, runs))
        values = np.stack([world.run(np.random.default_rng([seed, number])) for number in numbers])
        yield values, np.random.default_rng([seed, runs, start])


def pair_rates(world: World, runs: int, seed: int) -> dict[str, Any]:
    """How often a pair is separated with the wrong sign or though equal, separated, covered.

    Returns:
        By way: ``false`` (separated though equal, or with the wrong sign), ``separated`` and ``covered`` (the 95 %
        interval holds the truth) as shares of the runs, and ``false_small``, ``false`` at the level of 0.5 %
        (not of bootstraps, whose resamples are too few); ``world`` as it was asked.
    """
    design, truth = world.design(), world.effects[0] - world.effects[1]
    found: dict[str, list[NDArray[np.bool_]]] = {way: [] for way in (OURS, PLAIN, *BOOTSTRAPS)}
    small: dict[str, list[bool]] = {OURS: [], PLAIN: []}
    for values, random in chunks(world, runs, seed):
        estimates = {OURS: [compare(*as_arms(run), design).estimate for run in values]}
        estimates[PLAIN] = [_plain(estimate) for estimate in estimates[OURS]]
        for way, own in estimates.items():
            found[way].append(outcomes(np.array([one.interval(0.05) for one in own]).T, truth))
            small[way] += [bool(outcomes(np.array(one.interval(SMALL)), truth)[0]) for one in own]
        for way, bootstrap in BOOTSTRAPS.items():
            found[way].append(outcomes(bootstrap(values[:, 0], values[:, 1], design, random), truth))
    ways = {
        way: dict(zip(("false", "separated", "covered"), np.hstack(own).mean(axis=1).tolist(), strict=True))
        for way, own in found.items()
    }
    for way, wrong in small.items():
        ways[way]["false_small"] = float(np.mean(wrong))
    return {"world": asdict(world), "runs": runs, "ways": ways}


def outcomes(ends: FloatArray, truth: float) -> NDArray[np.bool_]:
    """Of intervals [2, ...]: wrong (separated though equal, or of the wrong sign), separated, covers: [3, ...]."""
    low, high = ends
    separated = (low > 0) | (high < 0)
    wrong = separated & (np.full_like(low, truth == 0, dtype=np.bool_) | ((low > 0) != (truth > 0)))
    return np.stack([wrong, separated, (low <= truth) & (truth <= high)])


def _plain(estimate: Estimate) -> Estimate:
    """The sum of all parts with Satterthwaite's degrees of freedom as they stand."""
    parts = estimate.spread.parts
    total = math.fsum(part.variance for part in parts)
    df = total**2 / math.fsum(part.variance**2 / part.df for part in parts)
    return Estimate(estimate.value, math.sqrt(total), df)
