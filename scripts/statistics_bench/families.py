"""Whole rankings: any false verdict in a run, what is found, and who may be the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from curator.rank.looks import Looks, judge_looks
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.verdict import Ranking, rank_arms
from statistics_bench.pairs import BOOTSTRAPS, OURS, chunks, outcomes
from statistics_bench.worlds import World, as_arms


def family_rates(world: World, runs: int, seed: int) -> dict[str, Any]:
    """A whole ranking at once.

    Returns:
        ``any_false`` (a pair separated though equal, or with the wrong sign), ``all_covered`` (every simultaneous
        interval holds its truth) and ``separated``, the share of truly unequal pairs that are; ``best_covered``
        (every interval from the best holds its truth), ``best_missing`` (the first arm of lowest KL is not among
        those that may be) and ``best_size``, how many may be; for the bootstraps, each pair at 95 % on its own,
        ``any_false`` alone.
    """
    row = _judged(world, runs, seed, rank_arms)
    design = world.design()
    any_false = dict.fromkeys(BOOTSTRAPS, 0.0)
    for values, random in chunks(world, runs, seed):
        for way, bootstrap in BOOTSTRAPS.items():
            wrong = np.zeros(len(values), dtype=np.bool_)
            for i, j in combinations(range(len(world.effects)), 2):
                truth = world.effects[i] - world.effects[j]
                wrong |= outcomes(bootstrap(values[:, i], values[:, j], design, random), truth)[0]
            any_false[way] += float(wrong.sum()) / runs
    return {**row, "any_false": {**row["any_false"], **any_false}}


def look_rates(world: World, looks: Looks, runs: int, seed: int) -> dict[str, Any]:
    """A ranking in stages.

    Returns:
        As `family_rates` of the tool, and ``draws_used``, the draws measured as a share of those without looks.
    """

    def judge(arms: list[ArmKL], design: Design) -> Ranking:
        ranking = judge_looks(arms, design, looks).ranking
        if ranking is None:
            raise ValueError("the world has fewer draws than the first look")
        return ranking

    return {**_judged(world, runs, seed, judge), "looks": asdict(looks)}


def _judged(world: World, runs: int, seed: int, judge: Callable[[list[ArmKL], Design], Ranking]) -> dict[str, Any]:
    design, count = world.design(), len(world.effects)
    truths = {f"arm {number}": effect for number, effect in enumerate(world.effects)}
    unequal = sum(a != b for a, b in combinations(world.effects, 2))
    total = dict.fromkeys(("false", "covered", "separated", "best_covered", "missing", "size", "used"), 0)
    for values, _ in chunks(world, runs, seed):
        for run in values:
            ranking = judge(list(as_arms(run)), design)
            for name, value in _outcome(ranking, truths).items():
                total[name] += value
    return {
        "world": asdict(world),
        "runs": runs,
        "any_false": {OURS: total["false"] / runs},
        "all_covered": total["covered"] / runs,
        "separated": total["separated"] / runs / unequal if unequal else None,
        "best_covered": total["best_covered"] / runs,
        "best_missing": total["missing"] / runs,
        "best_size": total["size"] / runs,
        "draws_used": total["used"] / runs / (count * world.draws),
    }


def _outcome(ranking: Ranking, truths: dict[str, float]) -> dict[str, int]:
    gaps = np.array([truths[pair.a] - truths[pair.b] for pair in ranking.pairs])
    found = np.stack([outcomes(np.array(pair.ci), gap) for pair, gap in zip(ranking.pairs, gaps, strict=True)])
    best = min(truths, key=truths.__getitem__)
    covered = all(one.ci[0] <= _from_best(truths, one.name) <= one.ci[1] for one in ranking.from_best)
    return {
        "false": int(found[:, 0].any()),
        "covered": int(found[:, 2].all()),
        "separated": int((found[:, 1] & ~found[:, 0] & (gaps != 0)).sum()),
        "best_covered": int(covered),
        "missing": int(best not in ranking.best),
        "size": len(ranking.best),
        "used": sum(arm.draws for arm in ranking.arms),
    }


def _from_best(truths: dict[str, float], name: str) -> float:
    return truths[name] - min(truth for other, truth in truths.items() if other != name)
