"""How much the mean KL moves when nothing that a recipe decides has changed."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pandas as pd

from curator._files import json_sha256, write_json
from curator._progress import Narrator
from curator._seal import sealed
from curator.measure.baseline import Baseline
from curator.measure.summary import weighted
from curator.rank.arms import Arm, Draw
from curator.rank.measure_arm import Measured, ensure_checkpoint, quantize_again, score_now, scored, served
from curator.rank.plan import FLOOR_BATCH, Plan
from curator.rank.stored import read_result

FLOORS = "floors.json"


def measure_floors(
    plan: Plan, baseline: Baseline, arm: Arm, measured: Measured, narrator: Narrator
) -> dict[str, Any]:
    """Repeat the first arm's estimate: other batch size, restarted server, second quantisation of the same set.

    Returns:
        ``{"batch": {"sd", "words"}, "restart": ..., "requantise": ..., "used_sd"}``; standard deviations of the
        primary mean KL, in nats a token. Stored in the draw's ``floors.json`` and found again there. In process
        there is nothing to restart.
    """
    draw = arm.draws[0]
    file = draw.folder / FLOORS
    key = json_sha256([baseline.manifest, measured.receipt["tensors_sha256"], plan.scheme])
    stored = read_result(file)
    if stored is not None and stored.pop("key", None) == key and "used_sd" in stored:
        return stored
    floors: dict[str, Any] = {}
    if plan.serving.starts:
        floors |= _server_floors(plan, baseline, arm, measured, narrator)
    elif plan.batch_size != FLOOR_BATCH:
        floors["batch"] = _batch_floor(plan, baseline, arm, measured, narrator)
    floors["requantise"] = _requantise_floor(plan, baseline, arm, measured, narrator)
    floors["used_sd"] = float(np.sqrt(sum(floor["sd"] ** 2 for floor in floors.values())))
    write_json(file, sealed({**floors, "key": key}))
    return floors


def _batch_floor(
    plan: Plan, baseline: Baseline, arm: Arm, measured: Measured, narrator: Narrator
) -> dict[str, Any]:
    draw = arm.draws[0]
    ensure_checkpoint(plan, draw, arm.quantize, arm.name, narrator)
    table = scored(plan, baseline, draw, measured.receipt, plan.scheme, FLOOR_BATCH, arm.name, narrator)
    return _floor(f"{arm.name} at batch {plan.batch_size} and {FLOOR_BATCH}", measured.tables[plan.scheme], table)


def _server_floors(
    plan: Plan, baseline: Baseline, arm: Arm, measured: Measured, narrator: Narrator
) -> dict[str, Any]:
    """One more start of the server gives both: the same again, and the other batch size."""
    draw, first = arm.draws[0], measured.tables[plan.scheme]
    ensure_checkpoint(plan, draw, arm.quantize, arm.name, narrator)
    label = f"{arm.name} {plan.scheme} again"
    with served(plan, baseline, draw, plan.scheme, narrator) as server:
        again = score_now(baseline, server, plan.batch_size, label, narrator)
        floors = {"restart": _floor(f"{arm.name} before and after a restart of the server", first, again)}
        if plan.batch_size != FLOOR_BATCH:
            single = score_now(baseline, server, FLOOR_BATCH, label, narrator)
            words = f"{arm.name} at batch {plan.batch_size} and {FLOOR_BATCH}, of one start"
            floors["batch"] = _floor(words, again, single)
    return floors


def _floor(words: str, one: pd.DataFrame, other: pd.DataFrame) -> dict[str, Any]:
    means = [_mean(one), _mean(other)]
    return {"sd": float(np.std(means, ddof=1)), "words": f"{words}: {means[0]:.6f} and {means[1]:.6f}"}


def _requantise_floor(
    plan: Plan, baseline: Baseline, arm: Arm, measured: Measured, narrator: Narrator
) -> dict[str, Any]:
    draw = arm.draws[0]
    again = Draw(plan.out / "again", draw.rows, draw.set_hash, draw.manifest)
    receipt = quantize_again(plan, again, arm.quantize, again.folder / "checkpoint", narrator)
    same = receipt["tensors_sha256"] == measured.receipt["tensors_sha256"]
    if same:
        floor = {"sd": 0.0, "words": "two quantisations with the same set are bit-identical"}
    else:
        table = scored(
            plan, baseline, again, receipt, plan.scheme, plan.batch_size, "the same set again", narrator
        )
        floor = _floor("two quantisations with the same set differ", measured.tables[plan.scheme], table)
    shutil.rmtree(again.folder, ignore_errors=True)
    return floor


def _mean(table: pd.DataFrame) -> float:
    mean = weighted(table, "kl")
    return float("nan") if mean is None else mean
