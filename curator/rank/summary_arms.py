"""An arm's part of the ranking document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from curator.measure.baseline import Baseline
from curator.measure.summary import weighted
from curator.pipeline.answers.open_self import SELF_PREFIX
from curator.rank.arms import Arm
from curator.rank.domains import of_task
from curator.rank.measure_arm import Measured
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.statistics import arm_interval, arm_mean
from curator.rank.values import arm_values
from curator.rank.verdict import ArmSummary
from curator.recipe.quantize_methods import Scheme


def arm_document(
    arm: Arm,
    line: ArmSummary,
    measured: Sequence[Measured],
    values: ArmKL,
    design: Design,
    baseline: Baseline,
    schemes: Sequence[Scheme],
) -> dict[str, Any]:
    """What the ranking tells of one arm.

    Args:
        arm: its sets.
        line: its mean and interval.
        measured: its draws.
        values: its KL by draw and prompt.
        design: of the run.
        baseline: what it was measured against.
        schemes: the primary one, then the one shown beside it.
    """
    pooled = pd.concat([draw.tables[schemes[0]] for draw in measured], ignore_index=True)
    document = {
        "name": arm.name,
        "title": arm.title,
        "recipe": arm.recipe,
        "kind": "null" if arm.null else "user",
        "method": arm.quantize.method,
        "draws": len(arm.draws),
        "has_draws": arm.has_draws,
        "kl_mean": line.mean,
        "kl_ci": list(line.ci),
        "top1": weighted(pooled, "top1"),
        "cosine": weighted(pooled, "cosine"),
        "js": weighted(pooled, "js"),
        "kl_median": float(pooled["kl"].median()),
        "kl_p99": float(pooled["kl"].quantile(0.99)),
        "kl_max": float(pooled["kl"].max()),
        "by_task": {task: _task(pooled, values, design, task) for task in design.weights},
        "other_scheme": _other(arm, measured, design, baseline, schemes[1:]),
        "sparse": {
            "k": baseline.top_k,
            "union": weighted(pooled, "kl_union"),
            "lumped": weighted(pooled, "kl_lumped"),
        },
        "draw_means": (values.values @ design.prompt_weights).tolist(),
        "by_family": _families(arm, pooled),
        "sets": [_set(draw.manifest, draw.set_hash) for draw in arm.draws if draw.set_hash],
    }
    return {key: value for key, value in document.items() if value not in (None, {}, [])}


def _task(pooled: pd.DataFrame, values: ArmKL, design: Design, task: str) -> dict[str, Any]:
    own, alone = of_task(values, design, task)
    rows = pooled[pooled["task"] == task]
    return {
        "kl_mean": arm_mean(own, alone),
        "kl_ci": list(arm_interval(own, alone)),
        "top1": weighted(rows, "top1"),
        "cosine": weighted(rows, "cosine"),
    }


def _other(
    arm: Arm, measured: Sequence[Measured], design: Design, baseline: Baseline, schemes: Sequence[Scheme]
) -> dict[str, Any] | None:
    """The same of the scheme that is shown beside the primary one, where it could be measured."""
    if not schemes:
        return None
    values = arm_values(arm, measured, schemes[0], [prompt["id"] for prompt in baseline.prompts])
    pooled = pd.concat([draw.tables[schemes[0]] for draw in measured], ignore_index=True)
    return {
        "scheme": schemes[0],
        "kl_mean": arm_mean(values, design),
        "kl_ci": list(arm_interval(values, design)),
        "top1": weighted(pooled, "top1"),
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


def _set(manifest: Mapping[str, Any], set_hash: str) -> dict[str, Any]:
    names = ("samples", "tokens", "shares", "asked", "dropped", "overlap")
    return {"set_hash": set_hash, **{name: manifest[name] for name in names if name in manifest}}
