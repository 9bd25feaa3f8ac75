"""Sets quantised and measured on the machines of an engine, each into its own folder.

The run then goes over its draws as it does without an engine, and finds all of them measured: what follows from
them, and what is left when a machine dies, is decided in one place.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from curator._files import json_sha256, read_json
from curator._progress import Narrator, Silent
from curator.engine.interface import Engine, Need
from curator.measure.baseline import Baseline
from curator.models.fingerprint import model_fingerprint
from curator.rank.arms import Arm
from curator.rank.floors import measure_floors
from curator.rank.layer_error import record_layers
from curator.rank.ledger import LEDGER, Ledger
from curator.rank.measure_arm import drop_checkpoint, measure_draw
from curator.rank.plan import PLAN, Plan


@dataclass(frozen=True, slots=True)
class Away:
    """One set to be measured elsewhere.

    Attributes:
        plan: of the run, with the devices that the task sees.
        baseline: folder of the baseline.
        arm: with this one draw.
        first: it is the arm's first draw, whose layers are looked at.
        floors: the floors are measured on it.
        label: what messages call it.
        threads: of the processor, as the command itself has: other numbers may give other last bits.
    """

    plan: Plan
    baseline: Path
    arm: Arm
    first: bool
    floors: bool
    label: str
    threads: int


def check_run_folder(engine: Engine, plan: Plan) -> None:
    """Refuse, before any work, a cluster whose machines do not all have the run folder and the model.

    Raises:
        DependencyError: names the machine.
    """
    engine.same_everywhere(partial(_plan_there, plan.out), f"run folder {plan.out}")
    engine.same_everywhere(partial(model_fingerprint, plan.model), f"model {plan.model}")


def measure_afar(
    engine: Engine, plan: Plan, baseline: Baseline, work: Sequence[tuple[Arm, int, bool]], narrator: Narrator
) -> None:
    """Measure draws on the machines of an engine, one GPU or the cores of one command each.

    Args:
        engine: has the machines.
        plan: of the run.
        baseline: what they are measured against.
        work: arms and numbers of the draws that are not measured yet, and whether the floors are measured on them.
        narrator: shows how far it is.
    """
    need, device = _need(engine, plan)
    own = replace(plan, device=device)
    tasks = [
        Away(
            plan=own,
            baseline=baseline.folder,
            arm=replace(arm, draws=(arm.draws[number],)),
            first=not number,
            floors=floors,
            label=f"{arm.name} draw {number}",
            threads=need.cpus,
        )
        for arm, number, floors in work
    ]
    ledger = Ledger(plan.out)
    with narrator.bar(f"quantise and measure {len(tasks)} sets on the cluster", len(tasks)) as advance:
        for steps in engine.map_in_order(measure_away, tasks, need):
            for step in steps:
                ledger.put(step)
            advance(1)


def measure_away(task: Away) -> list[dict[str, Any]]:
    """Measure one set; returns the lines of its ledger."""
    # Children inherit it; torch in this process is told.
    os.environ["OMP_NUM_THREADS"] = str(task.threads)
    import torch

    torch.set_num_threads(task.threads)
    (draw,) = task.arm.draws
    # A ledger and a second checkpoint of its own: other machines write theirs at the same time.
    plan = replace(task.plan, out=draw.folder)
    baseline, quiet = _baseline(task.baseline), Silent()
    one = measure_draw(plan, baseline, draw, task.arm.quantize, task.label, quiet)
    if task.first:
        record_layers(plan.model, draw, one.receipt)
    if task.floors:
        with Ledger(plan.out).timed("floors", draw.folder.name, method=task.arm.quantize.method):
            measure_floors(plan, baseline, task.arm, one, quiet)
    if not plan.keep_checkpoints:
        drop_checkpoint(draw)
    steps = Ledger(plan.out).steps()
    (plan.out / LEDGER).unlink(missing_ok=True)
    return steps


@functools.lru_cache(maxsize=1)
def _baseline(folder: Path) -> Baseline:
    return Baseline(folder)


def _need(engine: Engine, plan: Plan) -> tuple[Need, str]:
    """What a set takes of a machine, and the name of the devices there: a task sees its own alone."""
    import torch

    gpus = 0 if plan.device == "cpu" else len(plan.device.split(","))
    if plan.serving.starts:
        gpus = max(gpus, 1)
    gpus = min(gpus, engine.gpus) if plan.device in ("auto", "cpu") else gpus
    device = ",".join(f"cuda:{number}" for number in range(gpus)) if gpus and plan.device != "cpu" else plan.device
    # Beside GPUs the cores are not what is short.
    cpus = 1 if gpus and device != "cpu" else min(torch.get_num_threads(), engine.cores)
    return Need(cpus, gpus), device


def _plan_there(out: Path) -> str:
    return json_sha256(read_json(out / PLAN))
