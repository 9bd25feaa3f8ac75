"""Measuring a run's draws in the order of its plan, as far as the looks ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from curator._errors import InputError
from curator._progress import Narrator
from curator.engine.interface import Engine, Workers, engine_of
from curator.measure.baseline import Baseline
from curator.rank.afar import measure_afar
from curator.rank.arms import Arm
from curator.rank.cost import Costs, duration
from curator.rank.floors import FLOORS, measure_floors
from curator.rank.layer_error import record_layers
from curator.rank.ledger import Ledger
from curator.rank.looks import Judged, judge_all, judge_looks, planned_looks
from curator.rank.measure_arm import Measured, drop_checkpoint, is_measured, measure_draw
from curator.rank.plan import Plan
from curator.rank.planned_prompts import planned_prompts
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.values import arm_values, run_design


@dataclass(frozen=True)
class Outcome:
    """All that a run measured.

    Attributes:
        arms: each with the draws that were measured.
        measured: by arm, in the order of its draws.
        floors: of the primary number.
        judged: what follows.
    """

    arms: list[Arm]
    measured: dict[str, list[Measured]]
    floors: dict[str, Any]
    judged: Judged


def measure_all(
    plan: Plan, baseline: Baseline, arms: Sequence[Arm], narrator: Narrator, workers: Workers = 1
) -> Outcome:
    """Measure the arms' draws, all of them or look by look.

    What is measured next is decided by the values alone, so that a run that was killed, or that finds draws of an
    earlier one, goes on as if it had never stopped.
    """
    if not any(arm.recipe for arm in arms):
        raise InputError("no recipe to rank")
    run = _Run(plan, baseline, arms, narrator, engine_of(workers))
    if not plan.looks:
        run.measure({arm.name: len(arm.draws) for arm in arms})
        return run.outcome(judge_all(run.values(), run.design()))
    looks = planned_looks(plan.looks)
    run.measure({arm.name: min(len(arm.draws), plan.looks[0]) for arm in arms})
    while True:
        judged = judge_looks(run.values(), run.design(), looks)
        run.tell(judged)
        if judged.next_draws is None:
            return run.outcome(judged)
        run.measure(dict.fromkeys(judged.active, judged.next_draws))


@dataclass
class _Run:
    plan: Plan
    baseline: Baseline
    arms: Sequence[Arm]
    narrator: Narrator
    engine: Engine | None
    measured: dict[str, list[Measured]] = field(init=False)
    floors: dict[str, dict[str, Any]] = field(default_factory=dict)
    told: bool = False

    def __post_init__(self) -> None:
        self.measured = {arm.name: [] for arm in self.arms}

    def measure(self, wanted: dict[str, int]) -> None:
        """Measure arms up to so many draws, in the order of the plan."""
        work = [
            (arm, number)
            for arm in self.arms
            for number in range(len(self.measured[arm.name]), wanted.get(arm.name, 0))
        ]
        if self.engine is not None:
            self._measure_afar(self.engine, work)
        for at, (arm, number) in enumerate(work):
            fresh = not is_measured(self.plan, self.baseline, arm.draws[number], arm.quantize)
            self._measure_one(arm, number)
            if fresh and arm.has_draws and not self.told:
                self.told = True
                self._tell_rest(work[at + 1 :])

    def _measure_afar(self, engine: Engine, work: Sequence[tuple[Arm, int]]) -> None:
        """Have an engine measure what is not measured yet; it is then found where it always is."""
        settled = set(self.floors)
        fresh = []
        for arm, number in work:
            floors = bool(arm.recipe) and not number and arm.quantize.method not in settled
            settled |= {arm.quantize.method} if floors else set()
            done = is_measured(self.plan, self.baseline, arm.draws[number], arm.quantize)
            if not done or (floors and not (arm.draws[number].folder / FLOORS).is_file()):
                fresh.append((arm, number, floors))
        if fresh:
            measure_afar(engine, self.plan, self.baseline, fresh, self.narrator)

    def _measure_one(self, arm: Arm, number: int) -> None:
        plan, draw = self.plan, arm.draws[number]
        label = arm.name if len(arm.draws) == 1 else f"{arm.name} draw {number}"
        one = measure_draw(plan, self.baseline, draw, arm.quantize, label, self.narrator)
        self.measured[arm.name].append(one)
        if not number:
            record_layers(plan.model, draw, one.receipt)
        method = arm.quantize.method
        if arm.recipe and not number and method not in self.floors:
            # Found again it takes no time, which is no news.
            known = (draw.folder / FLOORS).is_file()
            timed = nullcontext() if known else Ledger(plan.out).timed("floors", draw.folder.name, method=method)
            with timed:
                self.floors[method] = measure_floors(plan, self.baseline, arm, one, self.narrator)
        if not plan.keep_checkpoints:
            drop_checkpoint(draw)

    def _tell_rest(self, rest: Sequence[tuple[Arm, int]]) -> None:
        costs = Costs(self.plan, planned_prompts(self.plan))
        waiting = [
            arm
            for arm, number in rest
            if not is_measured(self.plan, self.baseline, arm.draws[number], arm.quantize)
        ]
        seconds = sum(costs.piece(arm.quantize) for arm in waiting)
        # Where there are looks, some of them may never be needed.
        self.narrator.say(f"about {duration(seconds)} for the {len(waiting)} sets that wait (an estimate)")

    def values(self) -> list[ArmKL]:
        """KL of the arms' draws so far."""
        prompts = [prompt["id"] for prompt in self.baseline.prompts]
        return [arm_values(arm, self.measured[arm.name], self.plan.scheme, prompts) for arm in self.arms]

    def design(self) -> Design:
        """What was fixed before, and the floors."""
        return run_design(self.plan, self.baseline, self.arms, merged(self.floors))

    def tell(self, judged: Judged) -> None:
        """Say what a look has decided."""
        if judged.looks_made:
            beaten = [name for name, look in judged.dropped.items() if look == judged.looks_made]
            lost = f"; not the best, and measured no further: {', '.join(beaten)}" if beaten else ""
            end = "" if judged.looks_made == len(self.plan.looks) else "; all is decided"
            go_on = f"; on to {judged.next_draws} draws: {', '.join(judged.active)}" if judged.active else end
            self.narrator.say(f"look {judged.looks_made} of {len(self.plan.looks)}{lost}{go_on}")

    def outcome(self, judged: Judged) -> Outcome:
        """What was measured, with what follows."""
        arms = [replace(arm, draws=arm.draws[: len(self.measured[arm.name])]) for arm in self.arms]
        return Outcome(arms, self.measured, merged(self.floors), judged)


def merged(floors: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Floors of several methods as those of one: the largest counts for all."""
    if len(floors) == 1:
        return next(iter(floors.values()))
    named = {
        f"{kind}, {method}": floor
        for method, own in floors.items()
        for kind, floor in own.items()
        if kind != "used_sd"
    }
    return {**named, "used_sd": max(own["used_sd"] for own in floors.values())}
