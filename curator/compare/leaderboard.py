"""The arms of many runs in one table: within a group of runs that were measured alike, and never across."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from curator import __version__
from curator._errors import CurateError
from curator.compare.finished_runs import Found, Group, find_runs, group_runs
from curator.compare.runs import what_data_changes
from curator.compare.stored_run import Arm
from curator.measure.comparable import check_names
from curator.rank.pair_result import PairResult
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.verdict import Ranking, describe, rank_arms

EXPLORATORY = (
    "arms of several runs: later ones were chosen knowing the earlier results; before a claim, rank the few that "
    "matter once more in one run"
)


@dataclass(frozen=True)
class _Line:
    """An arm of the board, and where the very same numbers stand again."""

    run: str
    arm: Arm
    method: str
    kl: ArmKL
    again: tuple[str, ...]


def leaderboard(folder: Path, allow: Sequence[str] = ()) -> dict[str, Any]:
    """Rank the arms of all finished runs below a folder.

    Args:
        folder: searched with all folders in it.
        allow: facts of the servers that may differ within a group.

    Returns:
        ``groups``, each with ``conditions``, ``runs``, ``arms`` (from the lowest KL up, null arms last), ``pairs``
        (Holm over all pairs of the user's arms in the group), ``smallest_detectable`` and ``warnings``; ``apart``,
        why the other groups are not in the first; ``skipped``, runs that cannot be read.

    Raises:
        InputError: no runs, or ``allow`` names no fact.
    """
    check_names(allow)
    found, skipped = find_runs(folder)
    groups, apart = group_runs(found, allow)
    return {
        "tool": {"name": "curate", "version": __version__},
        "folder": str(folder),
        "groups": [_group(group) for group in groups],
        "apart": [dict(zip(("first", "second", "why"), words, strict=True)) for words in apart],
        "skipped": [{"run": name, "why": why} for name, why in skipped],
    }


def _group(group: Group) -> dict[str, Any]:
    document: dict[str, Any] = {"conditions": _conditions(group), "runs": [found.name for found in group.runs]}
    try:
        return document | _ranked(group)
    except CurateError as error:
        # Too few prompts, or nothing to rank: what one run met must not take the others from the board.
        return document | {"arms": [], "pairs": [], "smallest_detectable": None, "warnings": [str(error)]}


def _ranked(group: Group) -> dict[str, Any]:
    lines = list(_lines(group.runs))
    first = group.runs[0].run
    design = Design(
        tuple(first.per_prompt.tasks),
        first.primary.weights,
        # Of several floors the widest: it is a property of the machine, seen better or worse.
        floor_sd=max(found.run.floors.used_sd for found in group.runs),
        data_acts=what_data_changes(line.method for line in lines if not line.kl.null),
    )
    ranking = rank_arms([line.kl for line in lines], design)
    return {
        "floor_sd": design.floor_sd,
        "arms": _arms(lines, ranking),
        "pairs": [_pair(pair) for pair in ranking.pairs],
        "smallest_detectable": ranking.smallest_detectable,
        "warnings": list(_warnings(group, ranking)),
    }


def _lines(runs: Sequence[Found]) -> Iterator[_Line]:
    """Arms under names that are theirs alone; what holds the very same values again is one line."""
    kept: list[_Line] = []
    used: set[str] = set()
    for found in runs:
        for name, arm in found.run.named.items():
            title = name if len(runs) == 1 else f"{found.name}/{name}"
            while title in used:
                title += "'"
            used.add(title)
            method = str(arm.method or found.run.primary.method)
            made = _Line(found.name, arm, method, found.run.kl_of(name, title), ())
            place = next((place for place, line in enumerate(kept) if _is_same(line, made)), None)
            if place is None:
                kept.append(made)
            else:
                line = kept[place]
                kept[place] = _Line(line.run, line.arm, line.method, line.kl, (*line.again, title))
    yield from kept


def _is_same(a: _Line, b: _Line) -> bool:
    return (
        (a.method, a.kl.null, a.kl.sets, a.kl.has_draws) == (b.method, b.kl.null, b.kl.sets, b.kl.has_draws)
        and a.kl.values.shape == b.kl.values.shape
        and bool(np.array_equal(a.kl.values, b.kl.values))
    )


def _conditions(group: Group) -> dict[str, Any]:
    primary, run = group.runs[0].run.primary, group.runs[0].run
    told = {
        "model": primary.model,
        "scheme": primary.scheme,
        "phase": primary.phase,
        "batch_size": primary.batch_size,
        "tokens_per_prompt": primary.tokens_per_prompt,
        "prompts": len(run.per_prompt.ids),
        "estimator": primary.estimator,
        "dtype": primary.dtype,
        "heldout_hash": run.environment.get("held-out prompts"),
    }
    return {name: value for name, value in told.items() if value is not None}


def _arms(lines: Sequence[_Line], ranking: Ranking) -> list[dict[str, Any]]:
    by_name = {line.kl.name: line for line in lines}
    ranks = _ranks(ranking)
    arms = []
    for one in sorted(ranking.arms, key=lambda arm: arm.null):
        line = by_name[one.name]
        arms.append(
            {
                "name": one.name,
                "run": line.run,
                "arm": line.arm.name,
                "kind": "null" if one.null else "user",
                "recipe": line.arm.recipe,
                "method": line.method,
                "rank": None if one.null else ranks[one.name],
                "kl_mean": one.mean,
                "kl_ci": list(one.ci),
                "draws": one.draws,
                "may_be_best": one.name in ranking.best,
                "again_in": list(line.again),
            }
        )
    return arms


def _ranks(ranking: Ranking) -> dict[str, list[int]]:
    """First and last place that the verdicts leave open to each of the user's arms."""
    users = [arm.name for arm in ranking.arms if not arm.null]
    ranks = {name: [1, len(users)] for name in users}
    for pair in ranking.pairs:
        if pair.verdict != "tied":
            winner, loser = (pair.a, pair.b) if pair.verdict == "better" else (pair.b, pair.a)
            ranks[winner][1] -= 1
            ranks[loser][0] += 1
    return ranks


def _pair(pair: PairResult) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "diff": pair.diff,
        "ci": list(pair.ci),
        "p_holm": pair.p_adjusted,
        "verdict": pair.verdict,
        "equivalent": pair.equivalent,
        "scope": pair.scope,
        "words": describe(pair),
    }


def _warnings(group: Group, ranking: Ranking) -> Iterator[str]:
    if group.differ:
        yield f"not comparable: {', '.join(sorted(group.differ))} differ (--allow)"
    if len(group.runs) > 1:
        yield EXPLORATORY
    yield from ranking.warnings
