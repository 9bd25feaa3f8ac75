"""Which set serves which kind of prompt: what an arm's sets are made of, against KL by task; exploratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from curator.rank.arms import Arm
from curator.rank.statistical_design import ArmKL, DataActs, Design
from curator.rank.statistics import arm_interval, arm_mean, difference


def of_task(arm: ArmKL, design: Design, task: str) -> tuple[ArmKL, Design]:
    """An arm on the prompts of one task, and a design of that task alone.

    The floor is left out: it was measured of the mean over all tasks.
    """
    chosen = design.strata[task]
    own = replace(arm, values=arm.values[:, chosen], lower=None if arm.lower is None else arm.lower[:, chosen])
    return own, Design((task,) * len(chosen), {task: 1.0}, margin=design.margin, data_acts=design.data_acts)


def domains(arms: Sequence[Arm], values: Mapping[str, ArmKL], design: Design) -> dict[str, Any]:
    """The table of arms (rows, by what their sets are made of) and tasks of prompts (columns).

    Returns:
        ``tasks`` and ``rows``: ``arm``, ``kind``, ``made_of`` (shares of tokens by task, over the draws) and
        ``cells`` by task: ``kl_mean``, ``kl_ci``, ``relative`` (share above the median of the user's arms) and
        ``may_be_lowest`` (the interval of the difference from the task's lowest arm holds 0, at 95 % and for this
        pair alone; ``None`` for null arms).
    """
    tasks = list(design.strata)
    columns = {task: _column(arms, values, design, task) for task in tasks}
    return {
        "tasks": tasks,
        "rows": [
            {
                "arm": arm.name,
                "kind": "null" if arm.null else "user",
                "made_of": made_of(arm, "shares"),
                "cells": {task: columns[task][arm.name] for task in tasks},
            }
            for arm in arms
        ],
    }


def made_of(arm: Arm, key: str) -> dict[str, float]:
    """Mean over an arm's draws of shares in their manifests, the largest first; empty for what has none."""
    shares = [draw.manifest[key] for draw in arm.draws if draw.manifest.get(key)]
    names = dict.fromkeys(name for one in shares for name in one)
    means = {name: float(np.mean([one.get(name, 0.0) for one in shares])) for name in names}
    return dict(sorted(means.items(), key=lambda item: (-item[1], item[0])))


def _column(
    arms: Sequence[Arm], values: Mapping[str, ArmKL], design: Design, task: str
) -> dict[str, dict[str, Any]]:
    own = {arm.name: of_task(values[arm.name], design, task) for arm in arms}
    means = {name: arm_mean(*one) for name, one in own.items()}
    user = [arm.name for arm in arms if not arm.null]
    level = float(np.median([means[name] for name in user]))
    lowest = min(user, key=lambda name: (means[name], name))
    return {
        name: {
            "kl_mean": means[name],
            "kl_ci": list(arm_interval(*one)),
            "relative": means[name] / level - 1 if level > 0 else 0.0,
            "may_be_lowest": _holds_zero(one, own[lowest], design.data_acts) if name in user else None,
        }
        for name, one in own.items()
    }


def _holds_zero(one: tuple[ArmKL, Design], lowest: tuple[ArmKL, Design], acts: DataActs) -> bool:
    if one[0].name == lowest[0].name or acts == "nothing":
        return True
    low, high = difference(one[0], lowest[0], one[1])[0].interval(one[1].alpha)
    return low <= 0 <= high
