"""The ranking document: the summary of what was measured, and how the run was led."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from curator.measure.baseline import Baseline
from curator.rank.arms import Arm
from curator.rank.budget import stored_draw_plan
from curator.rank.comparisons import comparison_words
from curator.rank.ledger import Ledger
from curator.rank.looks import Judged, planned_looks
from curator.rank.measure_all import Outcome
from curator.rank.plan import Plan
from curator.rank.summary import summarise


def ranking_document(
    plan: Plan, baseline: Baseline, outcome: Outcome, decode: Callable[[list[int]], str]
) -> dict[str, Any]:
    """What `summarise` says, with ``comparisons``, ``looks``, ``budget`` and ``run_key``; strict JSON.

    Nothing in it but the ``cost`` and seconds depends on how often the run was stopped.
    """
    summary = summarise(
        plan,
        baseline,
        outcome.arms,
        outcome.measured,
        outcome.floors,
        judged=outcome.judged,
        cost=cost_lines(Ledger(plan.out), outcome.arms),
        decode=decode,
    )
    users = [arm for arm in outcome.arms if arm.recipe]
    led: dict[str, Any] = {"comparisons": {"words": comparison_words(users)}}
    if plan.looks:
        led["looks"] = _looks(plan.looks, outcome.judged)
    if plan.budget is not None:
        led["budget"] = stored_draw_plan(plan)
    return {**summary, **led, "run_key": plan.key()}


def cost_lines(ledger: Ledger, arms: Sequence[Arm]) -> list[dict[str, Any]]:
    """The timed steps of these arms: ``step``, ``arm`` and ``draw`` or ``None``, ``seconds``."""
    pieces = {
        draw.folder.name: {"arm": arm.name, "draw": number}
        for arm in reversed(arms)
        for number, draw in enumerate(arm.draws)
    }
    recipes = {arm.recipe for arm in arms}
    lines = []
    for line in ledger.steps():
        place = {"arm": None, "draw": None} if line["step"] == "baseline" else pieces.get(line["of"])
        if line["step"] == "build" and line["of"] in recipes:
            place = {"arm": line["of"], "draw": None}
        if place is not None:
            lines.append({"step": line["step"], **place, "seconds": line["seconds"]})
    return lines


def _looks(draws: Sequence[int], judged: Judged) -> dict[str, Any]:
    ranking = judged.ranking
    pairs = ranking.pairs if ranking else ()
    left = [pair for pair in pairs if not {pair.a, pair.b} & set(judged.dropped)]
    return {
        "planned": list(draws),
        "shares": list(planned_looks(draws).shares),
        "made": judged.looks_made,
        "decided": all(pair.verdict != "tied" or pair.equivalent for pair in left),
    }
