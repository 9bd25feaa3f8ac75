"""From per-token tables to the ranking that is printed, stored and reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import curator
from curator._errors import InputError
from curator.measure.baseline import Baseline
from curator.rank.arms import Arm
from curator.rank.by_place import by_length, by_position
from curator.rank.composition import composition
from curator.rank.departures import worst_prompts
from curator.rank.domains import domains
from curator.rank.layer_error import layers_of, stored_layers
from curator.rank.looks import Judged
from curator.rank.measure_arm import Measured
from curator.rank.plan import Plan
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.summary_arms import arm_document
from curator.rank.summary_facts import environment, primary, reproduce
from curator.rank.summary_verdicts import pair_document, place_document
from curator.rank.summary_warnings import MAX_OVERLAP, overlap, warnings
from curator.rank.values import arm_values, run_design


def summarise(
    plan: Plan,
    baseline: Baseline,
    arms: Sequence[Arm],
    measured: Mapping[str, Sequence[Measured]],
    floors: Mapping[str, Any],
    *,
    judged: Judged,
    cost: Sequence[Mapping[str, Any]] = (),
    decode: Callable[[list[int]], str],
) -> dict[str, Any]:
    """The ranking document.

    Args:
        plan: of the run.
        baseline: what all arms were measured against.
        arms: with the draws that were measured.
        measured: a table for each of them, by arm.
        floors: see `measure_floors`.
        judged: the verdicts.
        cost: seconds of each step: ``step``, ``arm``, ``draw``, ``seconds``.
        decode: text of token ids.

    Returns:
        ``primary``, ``arms`` (lowest KL first), ``pairs``, ``floors``, ``smallest_detectable``, ``warnings``,
        ``per_prompt``, ``domains``, ``by_position`` (by phase), ``by_length``, ``layers``, ``worst_prompts``,
        ``composition``, ``cost``, ``environment``, ``reproduce``; strict JSON. Its size grows with arms, draws and
        prompts, and not with tokens, documents or layers' experts.
    """
    ranking = judged.ranking
    if ranking is None:
        raise InputError("no arm has the draws of the first look: nothing to rank")
    by_name = {arm.name: arm for arm in arms}
    ordered = [by_name[line.name] for line in ranking.arms]
    ids = [prompt["id"] for prompt in baseline.prompts]
    values = {arm.name: arm_values(arm, measured[arm.name], plan.scheme, ids) for arm in ordered}
    design = run_design(plan, baseline, arms, dict(floors))
    void = max(map(overlap, arms), default=0.0) > MAX_OVERLAP
    estimator = measured[arms[0].name][0].tables[plan.scheme].attrs["estimator"]
    parts = _parts(plan, baseline, ordered, measured, values, design, decode)
    return {
        "tool": {"name": "curate", "version": curator.__version__},
        "primary": primary(plan, baseline, design.weights, estimator),
        "arms": [
            arm_document(arm, line, measured[arm.name], values[arm.name], design, baseline, plan.schemes)
            | place_document(arm.name, judged)
            for arm, line in zip(ordered, ranking.arms, strict=True)
        ],
        "pairs": [pair_document(pair, void) for pair in (*ranking.pairs, *ranking.null_pairs)],
        "floors": dict(floors),
        "smallest_detectable": ranking.smallest_detectable,
        "warnings": warnings(plan, arms, ranking, void),
        "per_prompt": _per_prompt(baseline, values),
        **{name: part for name, part in parts.items() if part},
        **({"cost": [dict(row) for row in cost]} if cost else {}),
        "environment": environment(plan, baseline),
        "reproduce": reproduce(plan),
    }


def _parts(
    plan: Plan,
    baseline: Baseline,
    arms: Sequence[Arm],
    measured: Mapping[str, Sequence[Measured]],
    values: Mapping[str, ArmKL],
    design: Design,
    decode: Callable[[list[int]], str],
) -> dict[str, Any]:
    """What is shown beside the ranking, by name; empty where there is nothing to show."""
    tables = {arm.name: [draw.tables[plan.scheme] for draw in measured[arm.name]] for arm in arms}
    kl, acts = list(values.values()), design.data_acts
    positions = by_position(baseline, kl, tables, acts)
    user = [arm for arm in arms if not arm.null]
    ends = list(dict.fromkeys((user[0].name, user[-1].name)))
    layers = {arm.name: stored_layers(arm.draws[0], measured[arm.name][0].receipt) for arm in (user[0], user[-1])}
    firsts = {name: tables[name][0] for name in ends}
    return {
        "domains": domains(arms, values, design),
        "by_position": {"prefill": positions} if positions else {},
        "by_length": by_length([window.prompt for window in baseline.windows], kl, acts),
        "layers": layers_of({name: rows for name, rows in layers.items() if rows}, ends[0], ends[-1]),
        "worst_prompts": worst_prompts(baseline, [values[name] for name in ends], firsts, decode),
        "composition": composition(arms),
    }


def _per_prompt(baseline: Baseline, values: Mapping[str, ArmKL]) -> dict[str, Any]:
    """KL of each prompt, nats a token; what other runs are compared by."""
    lower = {name: arm.lower.tolist() for name, arm in values.items() if arm.lower is not None}
    return {
        "ids": [prompt["id"] for prompt in baseline.prompts],
        "tasks": [prompt["task"] for prompt in baseline.prompts],
        "families": [prompt["corpus"] for prompt in baseline.prompts],
        "tokens": [window.prompt for window in baseline.windows],
        "arms": {name: arm.values.mean(axis=0).tolist() for name, arm in values.items()},
        "draws": {name: arm.values.tolist() for name, arm in values.items()},
        **({"lower": lower} if lower else {}),
    }
