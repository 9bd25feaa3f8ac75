"""From per-token tables to the ranking that is printed, stored and reported."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import curator
from curator.measure.baseline import Baseline
from curator.measure.summary import prompt_means, weighted
from curator.models.locate import model_note
from curator.pipeline.answers.open_self import SELF_PREFIX
from curator.rank.arms import Arm
from curator.rank.measure_arm import Measured
from curator.rank.pair_result import PairResult
from curator.rank.plan import Plan
from curator.rank.statistics import ArmKL, Design, arm_interval, arm_mean
from curator.rank.verdict import ArmSummary, Ranking, describe, rank_arms
from curator.recipe.quantize_methods import Scheme

# Above this share of common text, draws are no replicates.
MAX_OVERLAP = 0.2


def summarise(
    plan: Plan, baseline: Baseline, arms: list[Arm], measured: dict[str, list[Measured]], floors: dict[str, Any]
) -> dict[str, Any]:
    """The ranking document.

    Returns:
        ``primary``, ``arms`` (lowest KL first), ``pairs``, ``floors``, ``smallest_detectable``, ``warnings``,
        ``per_prompt``, ``environment``; strict JSON.
    """
    prompts = [prompt["id"] for prompt in baseline.prompts]
    tasks = tuple(prompt["task"] for prompt in baseline.prompts)
    weights = {task: 1 / len(set(tasks)) for task in dict.fromkeys(tasks)}
    design = Design(
        tasks,
        weights,
        margin=plan.margin,
        floor_sd=floors["used_sd"],
        data_acts=plan.quantize.data_acts,
    )
    values = {arm.name: _values(arm, measured[arm.name], plan.scheme, prompts) for arm in arms}
    ranking = rank_arms(list(values.values()), design)
    by_name = {arm.name: arm for arm in arms}
    void = max((_overlap(arm) for arm in arms), default=0.0) > MAX_OVERLAP
    estimator = measured[arms[0].name][0].tables[plan.scheme].attrs["estimator"]
    return {
        "tool": {"name": "curate", "version": curator.__version__},
        "primary": _primary(plan, baseline, weights, estimator),
        "arms": [
            _arm(plan, baseline, by_name[line.name], line, measured[line.name], values[line.name], design, ranking)
            for line in ranking.arms
        ],
        "pairs": [_pair(pair, void) for pair in (*ranking.pairs, *ranking.null_pairs)],
        "floors": floors,
        "smallest_detectable": ranking.smallest_detectable,
        "warnings": _warnings(plan, arms, ranking, void),
        "per_prompt": {
            "ids": prompts,
            "tasks": list(tasks),
            "families": [prompt["corpus"] for prompt in baseline.prompts],
            "arms": {name: arm.values.mean(axis=0).tolist() for name, arm in values.items()},
        },
        "environment": _environment(plan, baseline),
    }


def _values(arm: Arm, measured: list[Measured], scheme: Scheme, prompts: list[str]) -> ArmKL:
    rows = [prompt_means(draw.tables[scheme], "kl", prompts) for draw in measured]
    return ArmKL(arm.name, np.stack(rows), arm.has_draws, arm.null)


def _primary(plan: Plan, baseline: Baseline, weights: dict[str, float], estimator: str) -> dict[str, Any]:
    size = plan.recipes[0].recipe.size
    count = len(baseline.prompts)
    return {
        "statement": (
            f"Primary number, fixed before the run: mean KL(BF16 ‖ NVFP4 {plan.scheme}) in nats a token, "
            f"{plan.tokens} greedy tokens of each of {count} held-out prompts, scored by prefill at batch "
            f"{plan.batch_size}, {estimator}, {len(weights)} kinds of prompts weighing the same."
        ),
        "metric": "mean KL(BF16 ‖ candidate), nats a token",
        "scheme": plan.scheme,
        "phase": "prefill",
        "batch_size": plan.batch_size,
        "tokens_per_prompt": plan.tokens,
        "prompts": count,
        "estimator": estimator,
        "weights": weights,
        "dtype": plan.dtype or str(baseline.manifest["server"].get("dtype", "the server's")),
        "model": plan.model_name,
        "method": plan.method,
        "set": {"samples": size.count, "tokens": size.longest},
    }


def _arm(
    plan: Plan,
    baseline: Baseline,
    arm: Arm,
    line: ArmSummary,
    measured: list[Measured],
    values: ArmKL,
    design: Design,
    ranking: Ranking,
) -> dict[str, Any]:
    tables = [draw.tables[plan.scheme] for draw in measured]
    pooled = pd.concat(tables, ignore_index=True)
    prompts = [prompt["id"] for prompt in baseline.prompts]
    result = {
        "name": arm.name,
        "title": arm.title,
        "kind": "null" if arm.null else "user",
        "method": arm.quantize.method,
        "draws": len(arm.draws),
        "kl_mean": line.mean,
        "kl_ci": list(line.ci),
        "top1": weighted(pooled, "top1"),
        "cosine": weighted(pooled, "cosine"),
        "js": weighted(pooled, "js"),
        "kl_median": float(pooled["kl"].median()),
        "kl_p99": float(pooled["kl"].quantile(0.99)),
        "kl_max": float(pooled["kl"].max()),
        "by_task": {task: _task(pooled, values, design, task) for task in design.weights},
        "other_scheme": _other(plan, arm, measured, prompts, design),
        "sparse": {
            "k": baseline.top_k,
            "union": weighted(pooled, "kl_union"),
            "lumped": weighted(pooled, "kl_lumped"),
        },
        "draw_means": [arm_mean(ArmKL(arm.name, row[None], True, arm.null), design) for row in values.values],
        "may_be_best": line.name in ranking.best,
        "by_family": _families(arm, pooled),
        "sets": [_set(draw.manifest, draw.set_hash) for draw in arm.draws if draw.set_hash],
        "quantize_seconds": [draw.receipt["seconds"] for draw in measured],
    }
    return {key: value for key, value in result.items() if value not in (None, {}, [])}


def _other(
    plan: Plan, arm: Arm, measured: list[Measured], prompts: list[str], design: Design
) -> dict[str, Any] | None:
    """The same of the scheme that is shown beside the primary one, where it could be measured."""
    if len(plan.schemes) < 2:
        return None
    scheme = plan.schemes[1]
    values = _values(arm, measured, scheme, prompts)
    pooled = pd.concat([draw.tables[scheme] for draw in measured], ignore_index=True)
    return {
        "scheme": scheme,
        "kl_mean": arm_mean(values, design),
        "kl_ci": list(arm_interval(values, design)),
        "top1": weighted(pooled, "top1"),
    }


def _task(pooled: pd.DataFrame, values: ArmKL, design: Design, task: str) -> dict[str, Any]:
    chosen: NDArray[np.bool_] = np.array([name == task for name in design.tasks])
    own = ArmKL(values.name, values.values[:, chosen], values.has_draws, values.null)
    alone = Design(
        tuple(task for _ in range(int(chosen.sum()))),
        {task: 1.0},
        margin=design.margin,
        data_acts=design.data_acts,
    )
    rows = pooled[pooled["task"] == task]
    return {
        "kl_mean": arm_mean(own, alone),
        "kl_ci": list(arm_interval(own, alone)),
        "top1": weighted(rows, "top1"),
        "cosine": weighted(rows, "cosine"),
    }


def _families(arm: Arm, pooled: pd.DataFrame) -> dict[str, Any]:
    """KL on prompts from the corpora that the arm's sets draw on, and on the others."""
    drawn = {
        source["corpus"].removeprefix(SELF_PREFIX)
        for draw in arm.draws
        for source in draw.manifest.get("sources", [])
    }
    means = pooled.groupby(["prompt", "corpus"])["kl"].mean().reset_index()
    inside = means["corpus"].isin(sorted(drawn))
    parts = {"drawn": means[inside], "other": means[~inside]}
    return {
        name: {"kl_mean": float(part["kl"].mean()), "prompts": len(part)}
        for name, part in parts.items()
        if len(part)
    }


def _set(manifest: dict[str, Any], set_hash: str) -> dict[str, Any]:
    names = ("samples", "tokens", "shares", "asked", "dropped", "overlap")
    return {"set_hash": set_hash, **{name: manifest[name] for name in names if name in manifest}}


def _pair(pair: PairResult, void: bool) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "diff": pair.diff,
        "ci": list(pair.ci),
        "se": pair.se,
        "p": pair.p,
        "p_holm": pair.p_adjusted,
        "verdict": pair.verdict,
        "equivalent": pair.equivalent,
        "scope": "sets" if void else pair.scope,
        "family": pair.family,
        "words": describe(pair),
    }


def _overlap(arm: Arm) -> float:
    return max((float(draw.manifest.get("overlap", 0.0)) for draw in arm.draws), default=0.0)


def _warnings(plan: Plan, arms: list[Arm], ranking: Ranking, void: bool) -> list[str]:
    found = list(ranking.warnings)
    if len(plan.recipes) == 1:
        found.append("one recipe: there are only null arms to compare it with")
    if plan.draws < 3:
        found.append(
            f"{plan.draws} draw{'s' if plan.draws > 1 else ''} an arm: verdicts are about these sets, not about "
            "recipes; --draws 5 compares recipes"
        )
    if void:
        found.append(
            f"draws of an arm share more than {MAX_OVERLAP:.0%} of their text: no verdict is about recipes"
        )
    note = model_note(plan.model)
    if note:
        found.append(note)
    if len(plan.schemes) < 2:
        found.append(f"the server runs weight-only: {plan.scheme} alone is measured")
    for arm in arms:
        for number, draw in enumerate(arm.draws):
            found += [f"{arm.name} draw {number}: {warning}" for warning in draw.manifest.get("warnings", [])]
    found.append(
        "prefill only: errors that build up over a model's own decoded tokens are not in this number; "
        "by_task, by_family, W4A16 beside W4A4, medians and tails are exploratory"
    )
    return list(dict.fromkeys(found))


def _environment(plan: Plan, baseline: Baseline) -> dict[str, str]:
    from importlib.metadata import version

    facts = {name: str(value) for name, value in baseline.manifest["server"].items()}
    return {
        **facts,
        "python": platform.python_version(),
        "llmcompressor": version("llmcompressor"),
        "model hash": plan.model_hash[:16],
        "held-out prompts": str(baseline.manifest["prompts_sha256"])[:16],
        "tokenizer": str(baseline.manifest["tokenizer"])[:16],
    }
