"""What the statistics are given: the arms' KL on every prompt, and the design that was fixed before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from curator.measure.baseline import Baseline
from curator.measure.summary import prompt_means
from curator.rank.arms import Arm
from curator.rank.comparisons import compared_pairs
from curator.rank.measure_arm import Measured
from curator.rank.plan import Plan
from curator.rank.statistics import ArmKL, DataActs, Design, FloatArray
from curator.recipe.quantize_methods import Scheme

EXACT = "full vocabulary"


def arm_values(arm: Arm, measured: Sequence[Measured], scheme: Scheme, prompts: Sequence[str]) -> ArmKL:
    """KL of an arm's measured draws on every prompt, nats a token; with the lower bound where it is of lists."""
    tables = [draw.tables[scheme] for draw in measured]
    exact = all(table.attrs.get("estimator") == EXACT for table in tables)
    hashes = tuple(draw.set_hash for draw, _ in zip(arm.draws, measured, strict=False))
    return ArmKL(
        arm.name,
        _rows(tables, "kl", prompts),
        arm.has_draws,
        arm.null,
        None if exact else _rows(tables, "kl_lumped", prompts),
        sets=hashes if arm.has_draws else (),
    )


def used_by(method: str) -> str:
    """Name of the floor that joins the standard errors of one of several methods."""
    return f"used, {method}"


def run_design(plan: Plan, baseline: Baseline, arms: Sequence[Arm], floors: dict[str, Any]) -> Design:
    """The design of a run: its tasks weigh the same, and its arms are compared as `compared_pairs` says.

    Args:
        plan: of the run.
        baseline: its prompts.
        arms: of the run.
        floors: as `measure_floors` gives them for one method, or as `merged` does for several.
    """
    tasks = tuple(prompt["task"] for prompt in baseline.prompts)
    weights = {task: 1 / len(set(tasks)) for task in dict.fromkeys(tasks)}
    acts: set[DataActs] = {settings.data_acts for settings in plan.quantize}
    return Design(
        tasks,
        weights,
        margin=plan.margin,
        floor_sd=floors["used_sd"],
        floor_sds={
            arm.name: floors[used_by(arm.quantize.method)]["sd"]
            for arm in arms
            if used_by(arm.quantize.method) in floors
        },
        # The wider of both where one method's sets move activation scales only.
        data_acts="activation-scales" if "activation-scales" in acts else "weights",
        compared=compared_pairs(arms),
    )


def _rows(tables: Sequence[pd.DataFrame], column: str, prompts: Sequence[str]) -> FloatArray:
    return np.stack([prompt_means(table, column, prompts) for table in tables])
