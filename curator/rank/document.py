"""The ranking document: the summary of what was measured, and how the run was led."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curator.measure.baseline import Baseline
from curator.rank.arms import Arm
from curator.rank.budget import stored_draw_plan
from curator.rank.comparisons import comparison_words
from curator.rank.ledger import Ledger
from curator.rank.looks import Judged, planned_looks
from curator.rank.measure_all import Outcome
from curator.rank.plan import Plan
from curator.rank.statistics import MIN_DRAWS_PROVISIONAL
from curator.rank.stored import ranked_draws, read_result
from curator.rank.summary import summarise


def ranking_document(
    plan: Plan, baseline: Baseline, outcome: Outcome, decode: Callable[[list[int]], str]
) -> dict[str, Any]:
    """What `summarise` says, with ``comparisons``, ``looks``, ``budget``, ``looked_before`` and ``run_key``.

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
    before = _looked_before(plan)
    if before:
        led["looked_before"] = before
    receipts = [draw.receipt for draws in outcome.measured.values() for draw in draws]
    led["warnings"] = [*summary["warnings"], *_spoilt(plan, before), *drift(receipts)]
    return {**summary, **led, "run_key": plan.key()}


def drift(receipts: Sequence[Mapping[str, Any]]) -> list[str]:
    """That checkpoints of one ranking were made on other machines or by other versions, where they were."""
    told: dict[str, set[str]] = {}
    for receipt in receipts:
        machine = dict(receipt.get("machine") or {})
        for name, value in {**machine, **machine.pop("versions", {})}.items():
            if name != "versions":
                told.setdefault(name, set()).add(str(value))
    other = [f"{name} {' and '.join(sorted(values))}" for name, values in sorted(told.items()) if len(values) > 1]
    if not other:
        return []
    return [
        f"checkpoints of this ranking were made under different conditions ({'; '.join(other)}): their "
        "differences are not of the recipes alone; measure all in a new folder"
    ]


def _looked_before(plan: Plan) -> list[int]:
    """Draws at which this folder was ranked by another plan, as its last ranking tells."""
    stored = read_result(plan.out / "ranking.json") or {}
    before = [draws for draws in stored.get("looked_before", []) if isinstance(draws, int)]
    if stored.get("run_key") != plan.key():
        before += ranked_draws(stored)
    return sorted(set(before))


def _spoilt(plan: Plan, before: Sequence[int]) -> list[str]:
    """That verdicts on recipes were looked at with fewer draws, where nothing was fixed for that."""
    earlier = [draws for draws in before if MIN_DRAWS_PROVISIONAL <= draws < plan.draws]
    if not earlier or plan.looks:
        return []
    looks = ",".join(map(str, [*earlier, plan.draws]))
    return [
        f"recipes were ranked here before, at {' and '.join(map(str, earlier))} draws: each further look adds to "
        f"the chance of a false verdict, which is stated for one; in a new folder, --looks {looks} shares it out"
    ]


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
