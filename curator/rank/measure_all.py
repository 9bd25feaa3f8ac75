"""Measuring a run's draws in the order of its plan, as far as the looks ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from curator._durations import duration
from curator._errors import InputError
from curator._progress import Narrator
from curator.engine.interface import Engine, Workers, engine_of
from curator.measure.baseline import Baseline
from curator.rank.afar import measure_afar
from curator.rank.arms import Arm
from curator.rank.cost import Costs, Estimate
from curator.rank.floors import FLOORS, measure_floors
from curator.rank.layer_error import record_layers
from curator.rank.ledger import Ledger
from curator.rank.looks import Judged, judge_all, judge_looks, planned_looks
from curator.rank.measure_arm import Measured, drop_checkpoint, is_measured, measure_draw
from curator.rank.plan import Plan
from curator.rank.planned_prompts import planned_prompts
from curator.rank.statistical_design import ArmKL, Design
from curator.rank.values import arm_values, run_design, used_by


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


Sets = Callable[[Mapping[str, int]], Sequence[Arm]]
"""Gives the run's arms with so many draws of each recipe, by the recipe's name."""


def measure_all(plan: Plan, baseline: Baseline, sets: Sets, narrator: Narrator, workers: Workers = 1) -> Outcome:
    """Measure the arms' draws, all of them or look by look.

    What is measured next is decided by the values alone, so that a run that was killed, or that finds draws of an
    earlier one, goes on as if it had never stopped. Sets are asked for when their look is reached.
    """
    if not plan.recipes:
        raise InputError("no recipe to rank")
    run = _Run(plan, baseline, sets, narrator, engine_of(workers))
    run.build(plan.first_draws)
    run.measure({arm.name: len(arm.draws) for arm in run.arms})
    if not plan.looks:
        return run.outcome(judge_all(run.values(), run.design()))
    looks = planned_looks(plan.looks)
    while True:
        judged = judge_looks(run.values(), run.design(), looks)
        run.tell(judged)
        if judged.next_draws is None:
            return run.outcome(judged)
        active = [arm for arm in run.arms if arm.name in judged.active]
        run.build({arm.base: judged.next_draws for arm in active})
        run.measure({arm.name: judged.next_draws for arm in active})


@dataclass
class _Run:
    plan: Plan
    baseline: Baseline
    sets: Sets
    narrator: Narrator
    engine: Engine | None
    arms: Sequence[Arm] = ()
    built: dict[str, int] = field(default_factory=dict)
    measured: dict[str, list[Measured]] = field(default_factory=dict)
    floors: dict[str, dict[str, Any]] = field(default_factory=dict)

    def build(self, wanted: Mapping[str, int]) -> None:
        """Have so many sets of these recipes, beside those of the others that are there."""
        self.built |= wanted
        self.arms = self.sets(self.built)
        self.measured = {arm.name: self.measured.get(arm.name, []) for arm in self.arms}

    def measure(self, wanted: Mapping[str, int]) -> None:
        """Measure arms up to so many draws, in the order of the plan."""
        work = [
            (arm, number)
            for arm in self.arms
            for number in range(len(self.measured[arm.name]), wanted.get(arm.name, 0))
        ]
        if self.engine is not None:
            self._measure_afar(self.engine, work)
        waiting = [
            one for one in work if not is_measured(self.plan, self.baseline, one[0].draws[one[1]], one[0].quantize)
        ]
        count = len(waiting)
        if waiting:
            self.narrator.say(f"{_sets(count)} to quantise and score: {self._left(waiting).words()}")
        for one in work:
            self._measure_one(*one)
            if one not in waiting:
                continue
            waiting.remove(one)
            if waiting:
                left = duration(self._left(waiting).seconds)
                self.narrator.say(f"{count - len(waiting)} of {_sets(count)} measured, about {left} left")

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

    def _left(self, waiting: Sequence[tuple[Arm, int]]) -> Estimate:
        """What the sets that wait may take, with the floors that come with the first of a method."""
        costs = Costs(self.plan, planned_prompts(self.plan))
        firsts = {arm.quantize.method: arm.quantize for arm, number in waiting if arm.recipe and not number}
        floors = [settings for method, settings in firsts.items() if method not in self.floors]
        seconds = sum(costs.piece(arm.quantize) for arm, _ in waiting) + sum(map(costs.floors, floors))
        return Estimate(seconds, costs.timed, ())

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


def _sets(count: int) -> str:
    return f"{count} set{'' if count == 1 else 's'}"


def merged(floors: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Floors of several methods as those of one: each method's own, and the largest for the arm without data."""
    if len(floors) == 1:
        return next(iter(floors.values()))
    named = {
        f"{kind}, {method}": floor
        for method, own in floors.items()
        for kind, floor in own.items()
        if kind != "used_sd"
    }
    used = {
        used_by(method): {"sd": own["used_sd"], "words": f"joins the standard errors of arms by {method}"}
        for method, own in floors.items()
    }
    return {**named, **used, "used_sd": max(own["used_sd"] for own in floors.values())}
