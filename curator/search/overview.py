"""What a search is going to do, without doing any of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from curator._durations import duration
from curator.measure.heldout import load_prompts
from curator.rank.planned_prompts import PlannedPrompts, planned_prompts
from curator.search.final import FRESH_DRAWS
from curator.search.halves import split
from curator.search.knobs import Knob, Shares
from curator.search.run import SearchPlan, evaluation_words, exploration, planned_search
from curator.search.stored import read_evaluations, refuse_other_search, stored_count
from curator.search.time import search_time


def overview(plan: SearchPlan) -> dict[str, Any]:
    """Space, evaluations, prompts and the estimated time of a search.

    Returns:
        ``over`` (paths), ``dimensions``, ``written`` (recipes), ``evaluations`` (``None`` where a time gives them
        after the first), ``measured`` before, ``fresh_draws`` of each arm of the comparison, ``budget`` or
        ``None``, ``prompts`` of the search half (by task), ``tokens_per_prompt``, ``estimate`` (``seconds``,
        ``words``; of the least number of evaluations where it is not known), ``notes``; strict JSON.

    Raises:
        InputError, RefusedError, DependencyError: as a search says of the same plan.
    """
    search, notes = planned_search(plan)
    refuse_other_search(plan.rank.out, plan.fixed())
    known = search.budget if plan.seconds is None else stored_count(plan.rank.out)
    evaluations = known or search.least
    prompts = _search_half(plan)
    time = search_time(exploration(plan), evaluations, plan.rank.measurable, prompts)
    least = "" if known else f" for the least number, {evaluation_words(evaluations)}"
    return {
        "over": [".".join(path) for knob in search.knobs for path in _paths(knob)],
        "dimensions": search.dimensions,
        "written": [mix.name for mix in search.written],
        "evaluations": known,
        "measured": len(read_evaluations(plan.rank.out)),
        "fresh_draws": FRESH_DRAWS,
        "budget": None if plan.seconds is None else duration(plan.seconds),
        "prompts": prompts.by_task,
        "tokens_per_prompt": plan.rank.tokens,
        "estimate": {"seconds": round(time.seconds), "words": time.words() + least},
        "notes": notes,
    }


def _paths(knob: Knob) -> tuple[tuple[str, ...], ...]:
    return knob.paths if isinstance(knob, Shares) else (knob.path,)


def _search_half(plan: SearchPlan) -> PlannedPrompts:
    """The prompts that evaluations are measured on, as far as they are known."""
    frozen = plan.rank.out / "heldout.jsonl"
    file = frozen if frozen.is_file() else plan.rank.heldout
    whole = planned_prompts(plan.rank)
    if file is None:
        by_task = {task: (count + 1) // 2 for task, count in whole.by_task.items()}
    else:
        by_task = dict(Counter(prompt.task for prompt in split(load_prompts(file), plan.seed)[0]))
    half = replace(whole, by_task=by_task)
    return replace(half, tokens=whole.tokens * half.count // whole.count)
