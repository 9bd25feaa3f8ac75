"""Of measured arms: false winners, signs that hold, orders that lists change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.rank.statistical_design import ArmKL, Design
from curator.rank.verdict import compare, rank_arms

SPLITS = 200
_HALF = 3


@dataclass(frozen=True)
class Measured:
    """An arm, by full vocabulary and from lists (with the lower bound); the same draws and prompts."""

    exact: ArmKL
    lists: ArmKL


def same_recipe(arm: ArmKL, design: Design) -> dict[str, Any]:
    """Split six draws of one recipe into three and three in all ten ways, as if they were two recipes.

    Returns:
        ``splits``, ``false`` (called different), ``false_prompts_only`` (by the prompts' variance alone, as a
        bootstrap over prompts would) and the largest difference seen, nats a token.
    """
    numbers = range(2 * _HALF)
    found = []
    for first in combinations(numbers, _HALF):
        if 0 in first:
            second = [number for number in numbers if number not in first]
            found.append((_part(arm, first, "one"), _part(arm, second, "other")))
    recipes = [compare(a, b, design) for a, b in found]
    sets = [compare(_as_sets(a), _as_sets(b), design) for a, b in found]
    return {
        "arm": arm.name,
        "splits": len(found),
        "false": sum(pair.verdict != "tied" for pair in recipes),
        "false_prompts_only": sum(pair.verdict != "tied" for pair in sets),
        "largest": max(abs(pair.diff) for pair in recipes),
    }


def _part(arm: ArmKL, draws: Sequence[int], name: str) -> ArmKL:
    return ArmKL(name, arm.values[list(draws)], arm.has_draws, arm.null)


def _as_sets(arm: ArmKL) -> ArmKL:
    return replace(arm, has_draws=False)


def half_splits(arms: Sequence[ArmKL], design: Design, seed: int = 17) -> dict[str, Any]:
    """Rank on a random half of every task's prompts, and look at the other half's signs.

    Returns:
        ``splits``; ``separated``, pairs over all splits that one half separates; ``kept``, the share of them whose
        difference has the same sign on the other half.
    """
    random = np.random.default_rng(seed)
    separated = kept = 0
    for _ in range(SPLITS):
        half = np.zeros(len(design.tasks), dtype=np.bool_)
        for prompts in design.strata.values():
            half[random.permutation(prompts)[: len(prompts) // 2]] = True
        pairs = rank_arms([_on(arm, half) for arm in arms], _design_on(design, half)).pairs
        other = {arm.name: arm.values[:, ~half] for arm in arms}
        weights = _design_on(design, ~half).prompt_weights
        for pair in pairs:
            if pair.verdict != "tied":
                separated += 1
                there = float((other[pair.a].mean(axis=0) - other[pair.b].mean(axis=0)) @ weights)
                kept += there * pair.diff > 0
    return {"splits": SPLITS, "separated": separated, "kept": kept / separated if separated else None}


def _on(arm: ArmKL, prompts: NDArray[np.bool_]) -> ArmKL:
    return replace(arm, values=arm.values[:, prompts], lower=None)


def _design_on(design: Design, prompts: NDArray[np.bool_]) -> Design:
    return replace(design, tasks=tuple(task for task, taken in zip(design.tasks, prompts, strict=True) if taken))


def list_orders(arms: Sequence[Measured], design: Design) -> dict[str, Any]:
    """Pairs called from the full vocabulary, and what top-K lists say of them.

    Returns:
        ``called``; ``same_order`` of them by the lists' estimate; ``called_from_lists`` of them, where a sign must
        hold under both estimators; ``called_otherwise``, pairs that lists call the other way round or that the
        vocabulary does not call; the ``bias`` of each arm's mean.
    """
    exact = {(p.a, p.b): p for p in rank_arms([arm.exact for arm in arms], design).pairs}
    lists = {}
    for pair in rank_arms([arm.lists for arm in arms], design).pairs:
        lists[pair.a, pair.b] = pair.diff, pair.verdict
        opposite = {"better": "worse", "worse": "better", "tied": "tied"}[pair.verdict]
        lists[pair.b, pair.a] = -pair.diff, opposite
    called = {names: pair for names, pair in exact.items() if pair.verdict != "tied"}
    weights = design.prompt_weights
    return {
        "called": len(called),
        "same_order": sum(lists[names][0] * pair.diff > 0 for names, pair in called.items()),
        "called_from_lists": sum(lists[names][1] == pair.verdict for names, pair in called.items()),
        "called_otherwise": sum(lists[names][1] not in ("tied", pair.verdict) for names, pair in exact.items()),
        "bias": {
            arm.exact.name: float((arm.lists.values @ weights).mean() / (arm.exact.values @ weights).mean() - 1)
            for arm in arms
        },
    }
