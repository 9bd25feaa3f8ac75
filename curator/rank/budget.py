"""A budget of time becomes a plan of draws, once: before the run, and never again by the clock.

The plan is the largest that the estimate lets into the budget, with every arm kept to the last look. It is written
down at once; a run that was killed or given another recipe goes on with what is written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from curator._durations import duration
from curator._errors import InputError, RefusedError, in_short
from curator._files import read_json, write_json
from curator.rank.cost import Costs, Estimate
from curator.rank.plan import PLAN, Plan
from curator.rank.planned_prompts import PlannedPrompts

_KEY = "draw_plan"
# More draws than the last of these tell little that more prompts would not tell better.
_LOOKS = (5, 8, 12)
_NUMBER = r"\d+(?:\.\d+)?"
_LENGTH = re.compile(rf"(?:({_NUMBER})h)?(?:({_NUMBER})m)?(?:({_NUMBER})s)?", re.ASCII)
_SECONDS = (3600.0, 60.0, 1.0)


class _DrawPlan(BaseModel):
    budget: float
    draws: Annotated[int, Field(ge=1)]
    looks: list[int]
    estimate_seconds: int
    words: str


def parse_budget(text: str) -> float:
    """Seconds of a budget such as ``2h``, ``90m`` or ``1h30m``.

    Raises:
        InputError: no such length of time, or none above 0.
    """
    found = _LENGTH.fullmatch(text)
    parts = found.groups(default="0") if found else ()
    seconds = sum(float(number) * unit for number, unit in zip(parts, _SECONDS, strict=False))
    if not 0 < seconds < 1e9:
        raise InputError(f"--budget {in_short(text)!r}: no length of time; give one such as 2h, 90m or 1h30m")
    return seconds


def stored_draws(plan: Plan) -> Plan | None:
    """The plan with the draws that its folder has written down; ``None`` before.

    Raises:
        InputError: the folder's plan is damaged.
    """
    stored = stored_draw_plan(plan)
    return None if stored is None else replace(plan, draws=stored["draws"], looks=tuple(stored["looks"]))


def stored_draw_plan(plan: Plan) -> dict[str, Any] | None:
    """What the plan's folder has written down of its draws; ``None`` before.

    Raises:
        InputError: it is damaged.
    """
    file = plan.out / PLAN
    stored = read_json(file).get(_KEY) if file.is_file() else None
    if stored is None:
        return None
    try:
        return _DrawPlan.model_validate(stored).model_dump()
    except ValidationError as error:
        raise InputError(f"{file}: {_KEY} is damaged; use another --out") from error


def fix_draws(plan: Plan, prompts: PlannedPrompts, budget: float) -> Plan:
    """Choose the draws that fit the budget and write them down in the folder's plan.

    Raises:
        RefusedError: not even one draw an arm fits.
    """
    chosen, estimate = fitting(plan, prompts, budget)
    fixed = read_json(plan.out / PLAN)
    write_json(plan.out / PLAN, {**fixed, _KEY: draw_plan(chosen, estimate, budget)})
    return chosen


def fitting(plan: Plan, prompts: PlannedPrompts, budget: float) -> tuple[Plan, Estimate]:
    """The plan with the most draws that the estimate lets into the budget, and that estimate.

    Raises:
        RefusedError: not even one draw an arm fits.
    """
    for draws in range(_LOOKS[-1], 0, -1):
        asked = replace(plan, draws=draws, looks=_looks(draws))
        estimate = Costs(asked, prompts).whole()
        if estimate.seconds <= budget:
            return asked, estimate
    raise RefusedError(
        f"--budget {duration(budget)}: one draw an arm takes {estimate.words()}; give more time, fewer recipes "
        "or methods, or a smaller --per-task or --tokens"
    )


def draw_plan(plan: Plan, estimate: Estimate, budget: float) -> dict[str, Any]:
    """What is written down of the choice, and told in the report."""
    count = f"{plan.draws} draw{'' if plan.draws == 1 else 's'}"
    few = f"; recipes are compared from {_LOOKS[0]} draws on" if plan.draws < _LOOKS[0] else ""
    at = f"looks at {', '.join(map(str, plan.looks))}" if len(plan.looks) > 1 else "one look"
    return {
        "budget": budget,
        "draws": plan.draws,
        "looks": list(plan.looks),
        "estimate_seconds": round(estimate.seconds),
        "words": f"a budget of {duration(budget)} gives {count} an arm, {at}: {estimate.words()}{few}",
    }


def _looks(draws: int) -> tuple[int, ...]:
    """Looks of a run with so many draws: none where one at the end is all that makes sense."""
    first, middle, last = _LOOKS
    if draws < middle:
        return ()
    return (first, draws) if draws < last else _LOOKS
