"""One setting: many simulated runs, each judged in every way, and the rates of what came out."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.rank.looks import Looks, judge_looks
from curator.rank.verdict import compare, rank_arms
from statistics_bench.bootstraps import prompt_bootstrap, two_level_bootstrap
from statistics_bench.worlds import World, as_arms

BOOTSTRAPS = {"bootstrap over prompts": prompt_bootstrap, "two-level bootstrap": two_level_bootstrap}
OURS = "curate"


def pair_rates(world: World, runs: int, seed: int) -> dict[str, Any]:
    """A pair on its own: how often it is separated with the wrong sign or though equal, separated, covered.

    Returns:
        By way: ``false`` (separated though equal, or with the wrong sign), ``separated`` and ``covered`` (the
        95 % interval holds the truth) as shares of the runs; ``world`` as it was asked.
    """
    design, truth = world.design(), world.effects[0] - world.effects[1]
    counts: dict[str, NDArray[np.int64]] = {way: np.zeros(3, np.int64) for way in (OURS, *BOOTSTRAPS)}
    for number in range(runs):
        random = np.random.default_rng([seed, number])
        values = world.run(random)
        result = compare(*as_arms(values), design)
        counts[OURS] += _outcome(*result.ci, truth)
        for way, bootstrap in BOOTSTRAPS.items():
            low, high = np.quantile(bootstrap(values[0], values[1], design, random), [0.025, 0.975])
            counts[way] += _outcome(low, high, truth)
    rates = {
        way: dict(zip(("false", "separated", "covered"), (own / runs).tolist(), strict=True))
        for way, own in counts.items()
    }
    return {"world": asdict(world), "runs": runs, "ways": rates}


def _outcome(low: float, high: float, truth: float) -> NDArray[np.int64]:
    separated = low > 0 or high < 0
    wrong = separated and (truth == 0 or (low > 0) != (truth > 0))
    return np.array([wrong, separated, low <= truth <= high], dtype=np.int64)


def family_rates(world: World, runs: int, seed: int) -> dict[str, Any]:
    """A whole ranking: how often any verdict is false, and how often the truly best arm is left out.

    Returns:
        ``any_false`` (a pair separated though equal, or with the wrong sign), ``all_covered`` (every
        simultaneous interval holds its truth), ``best_missing`` and ``separated``, the share of truly unequal
        pairs that are; for the bootstraps, each pair at 95 % on its own, ``any_false`` alone.
    """
    design, count = world.design(), len(world.effects)
    pairs = list(combinations(range(count), 2))
    unequal = sum(world.effects[i] != world.effects[j] for i, j in pairs)
    best = {f"arm {number}" for number, effect in enumerate(world.effects) if effect == min(world.effects)}
    any_false = dict.fromkeys((OURS, *BOOTSTRAPS), 0)
    covered = missing = separated = 0
    for number in range(runs):
        random = np.random.default_rng([seed, number])
        values = world.run(random)
        ranking = rank_arms(as_arms(values), design)
        outcomes = np.array([_outcome(*pair.ci, _truth(world, pair.a, pair.b)) for pair in ranking.pairs])
        any_false[OURS] += bool(outcomes[:, 0].any())
        covered += bool(outcomes[:, 2].all())
        missing += not best <= set(ranking.best)
        separated += int(
            (outcomes[:, 1] & ~outcomes[:, 0] & [_truth(world, p.a, p.b) != 0 for p in ranking.pairs]).sum()
        )
        for way, bootstrap in BOOTSTRAPS.items():
            any_false[way] += any(
                _bootstrap_false(
                    values[i], values[j], world.effects[i] - world.effects[j], bootstrap, design, random
                )
                for i, j in pairs
            )
    return {
        "world": asdict(world),
        "runs": runs,
        "any_false": {way: wrong / runs for way, wrong in any_false.items()},
        "all_covered": covered / runs,
        "best_missing": missing / runs,
        "separated": separated / runs / unequal if unequal else None,
    }


def look_rates(world: World, looks: Looks, runs: int, seed: int) -> dict[str, Any]:
    """A ranking in stages: what it finds, and which share of all draws it measures.

    Returns:
        As `family_rates` of the tool, and ``draws_used``, the draws measured as a share of those without looks.
    """
    design, count = world.design(), len(world.effects)
    best = {f"arm {number}" for number, effect in enumerate(world.effects) if effect == min(world.effects)}
    pairs = [(i, j) for i, j in combinations(world.effects, 2)]
    unequal = sum(a != b for a, b in pairs)
    any_false = covered = missing = separated = used = 0
    for number in range(runs):
        ranking = judge_looks(as_arms(world.run(np.random.default_rng([seed, number]))), design, looks).ranking
        if ranking is None:
            raise ValueError("the world has fewer draws than the first look")
        truths = [_truth(world, pair.a, pair.b) for pair in ranking.pairs]
        outcomes = np.array([_outcome(*pair.ci, truth) for pair, truth in zip(ranking.pairs, truths, strict=True)])
        any_false += bool(outcomes[:, 0].any())
        covered += bool(outcomes[:, 2].all())
        missing += not best <= set(ranking.best)
        separated += int((outcomes[:, 1] & ~outcomes[:, 0] & (np.array(truths) != 0)).sum())
        used += sum(arm.draws for arm in ranking.arms)
    return {
        "world": asdict(world),
        "looks": asdict(looks),
        "runs": runs,
        "any_false": {OURS: any_false / runs},
        "all_covered": covered / runs,
        "best_missing": missing / runs,
        "separated": separated / runs / unequal if unequal else None,
        "draws_used": used / runs / (count * world.draws),
    }


def _truth(world: World, a: str, b: str) -> float:
    first, second = (world.effects[int(name.removeprefix("arm "))] for name in (a, b))
    return first - second


def _bootstrap_false(a: Any, b: Any, truth: float, bootstrap: Any, design: Any, random: Any) -> bool:
    low, high = np.quantile(bootstrap(a, b, design, random), [0.025, 0.975])
    return bool(_outcome(low, high, truth)[0])
