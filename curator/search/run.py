"""A whole search: halves, proposals on one, one comparison on the other. Every step finds its own result again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import curator
from curator._durations import about, duration
from curator._errors import RefusedError
from curator._files import json_sha256, write_json
from curator._lock import folder_lock, sweep_temporaries
from curator._outputs import refuse_foreign
from curator._progress import Narrator
from curator.measure.heldout import load_prompts, make_heldout, save_prompts
from curator.pipeline.source_state import sources_sha256
from curator.quantize.machine import find_devices
from curator.quantize.run import kept_quantiser
from curator.rank.ledger import Ledger
from curator.rank.plan import Plan
from curator.rank.planned_prompts import planned_prompts
from curator.rank.prepare import prepare
from curator.recipe.load import LoadedRecipe
from curator.search.evaluate import Evaluator, recipe_of
from curator.search.final import FRESH_DRAWS, compare_fresh, fresh_seed
from curator.search.halves import split
from curator.search.knobs import start_of
from curator.search.mix import Mix
from curator.search.propose import check_optimiser
from curator.search.result import result_document
from curator.search.space import space
from curator.search.steps import Done, Search, Step, chosen, go_on, least_budget
from curator.search.stored import (
    RESULT,
    SEARCH_FOLDER,
    fix_search,
    read_evaluations,
    store_count,
    stored_count,
    write_evaluations,
)
from curator.search.time import search_time


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search, fixed before it starts.

    Attributes:
        rank: how mixes are quantised and measured: a ranking of the recipes, the searched one first. Its folder
            is the search's.
        over: what is searched, as typed.
        overrides: the ``--set`` options that the recipes were read with.
        evaluations: the budget; ``None`` where it is a time.
        seconds: the time, which becomes a number of evaluations once the first was timed, and is never looked at
            again.
        seed: of proposals, halves and fresh draws.
    """

    rank: Plan
    over: str
    overrides: tuple[str, ...] = ()
    evaluations: int | None = 30
    seconds: float | None = None
    seed: int = 0

    def fixed(self) -> dict[str, Any]:
        """What may not change when a search goes on."""
        states = {one.recipe.name: json_sha256([one.sha256, sources_sha256(one)]) for one in self.rank.recipes}
        return {
            **self.rank.fixed(),
            "tool": curator.__version__,
            "over": self.over,
            "set": list(self.overrides),
            "recipes": list(states),
            **{f"recipe {name}": state[:12] for name, state in states.items()},
            "method": [settings.used() for settings in self.rank.quantize],
            "budget": self.evaluations if self.seconds is None else duration(self.seconds),
            "seed": self.seed,
        }


def run_search(plan: SearchPlan, narrator: Narrator) -> dict[str, Any]:
    """Search, or go on with a search.

    Returns:
        See `result_document`; also written to ``search.json``.

    Raises:
        InputError: nothing to search, too small a budget, or prompts that do not divide.
        RefusedError: the folder holds another search, or the recipes ask for sets of unequal size.
        DependencyError: Optuna is not installed.
    """
    # Before anything is measured: what the budget is too small for is known now.
    search, notes = planned_search(plan)
    out, recipes = plan.rank.out, plan.rank.recipes
    with folder_lock(out), kept_quantiser(find_devices(plan.rank.device)):
        fix_search(out, plan.fixed())
        sweep_temporaries(out)
        for note in notes:
            narrator.say(note)
        explored = _halves(plan)
        with folder_lock(explored.out):
            evaluator = Evaluator(explored, recipes, plan.overrides, prepare(explored, narrator), narrator)
            if plan.seconds is None:
                prompts = planned_prompts(explored)
                time = search_time(explored, search.budget, plan.rank.measurable, prompts).words()
                narrator.say(f"{evaluation_words(search.budget)}: {time}")
            done = _explore(plan, search, evaluator, narrator)
        winner, written = chosen(search, done)
        if winner is None:
            raise RefusedError(f"{out}: no proposed mix could be made into a set; see {out / 'evaluations.json'}")
        final = _final(plan, winner, written, narrator)
        result = result_document(search, done, winner, written, final, recipes[0], plan.overrides)
        result = {"command": plan.rank.command, **result}
        write_json(out / RESULT, result)
    return result


def planned_search(plan: SearchPlan) -> tuple[Search, list[str]]:
    """What is searched, and notes on it; a budget of time counts as the least number of evaluations.

    Raises:
        InputError, RefusedError, DependencyError: see `run_search`.
    """
    check_optimiser()
    recipes = plan.rank.recipes
    knobs, notes = space(recipes[0], plan.over, plan.overrides)
    budget = plan.evaluations or least_budget(sum(knob.size for knob in knobs), len(recipes))
    place = start_of(knobs)
    written = [Mix(one.recipe.name, number, (), None if number else place) for number, one in enumerate(recipes)]
    search = Search(recipes[0].recipe.name, knobs, tuple(written), budget, plan.seed)
    _check_sizes(recipes)
    refuse_foreign(plan.rank.out, SEARCH_FOLDER)
    return search, list(notes)


def evaluation_words(evaluations: int) -> str:
    """What is measured, in a few words."""
    return f"{evaluations} evaluations, then {2 * FRESH_DRAWS} fresh sets on the other half"


def _check_sizes(recipes: tuple[LoadedRecipe, ...]) -> None:
    first = recipes[0].recipe
    for other in (one.recipe for one in recipes[1:]):
        if other.size.lengths() != first.size.lengths():
            raise RefusedError(
                f"{first.name} and {other.name} ask for sets of unequal size ({first.size.total} and "
                f"{other.size.total} tokens); a larger set wins by size alone: give them one size, as by --set"
            )


def _halves(plan: SearchPlan) -> Plan:
    """Freeze the prompts and their halves; the plan of the exploration."""
    out = plan.rank.out
    if not (out / "heldout.jsonl").is_file():
        given = plan.rank.heldout
        save_prompts(out / "heldout.jsonl", load_prompts(given) if given else make_heldout(plan.rank.per_task))
    halves = split(load_prompts(out / "heldout.jsonl"), plan.seed)
    for name, half in zip(("search", "other"), halves, strict=True):
        save_prompts(_half(out, name), half)
    return exploration(plan)


def exploration(plan: SearchPlan) -> Plan:
    """The plan of the evaluations."""
    return replace(
        plan.rank,
        out=plan.rank.out / "explore",
        heldout=_half(plan.rank.out, "search"),
        nulls=(),
        # The other scheme is not what mixes are chosen by.
        measurable=(plan.rank.scheme,),
    )


def _half(out: Path, name: str) -> Path:
    return out / f"{name}-half.jsonl"


def _explore(
    plan: SearchPlan, search: Search, evaluator: Callable[[Step], Done], narrator: Narrator
) -> list[Done]:
    out = plan.rank.out
    done = read_evaluations(out)
    budget: int | None = search.budget if plan.seconds is None else None
    took: list[float] = []

    def measure(step: Step) -> Done:
        of = "" if budget is None else f" of {budget}"
        narrator.say(f"evaluation {len(done) + 1}{of}: {step.mix.name} draw {step.draw}")
        started = time.monotonic()
        done.append(evaluator(step))
        took.append(time.monotonic() - started)
        write_evaluations(out, done)
        narrator.say(_told(done, budget, fmean(took)))
        return done[-1]

    if plan.seconds is not None:
        count = stored_count(out)
        if count is None:
            if not done:
                measure(Step(search.written[0], 0))
            count = _count(plan, search, plan.seconds)
            store_count(out, count)
            narrator.say(f"a budget of {duration(plan.seconds)} gives {count} evaluations")
        search = replace(search, budget=count)
        budget = count
    return go_on(search, measure, list(done))


def _told(done: Sequence[Done], budget: int | None, seconds: float) -> str:
    """What the last evaluation gave, and when the rest of them will be done."""
    last = done[-1]
    gave = f"no set ({last.why})" if last.kl is None else f"KL {last.kl:.4f} on the search half"
    rest = 0 if budget is None else budget - len(done)
    return f"{gave}; {about(rest * seconds)} left of the evaluations" if rest else gave


def _count(plan: SearchPlan, search: Search, seconds: float) -> int:
    """Evaluations that a time lets in, by the steps that the first took, with the comparison at the end."""
    steps = Ledger(plan.rank.out / "explore").steps()
    took = {
        kind: sum(line["seconds"] for line in steps if line["step"] == kind)
        for kind in ("baseline", "build", "quantise", "score")
    }
    one = took["build"] + took["quantise"] + took["score"]
    # The other scheme is scored as well, and the floors take one more of each.
    last = (2 * FRESH_DRAWS + 1) * (one + took["score"] * (len(plan.rank.schemes) - 1)) + took["baseline"]
    count = int((seconds - took["baseline"] - last) / max(one, 1e-3))
    if count < search.least:
        needed = duration(took["baseline"] + last + search.least * one)
        raise RefusedError(
            f"--budget {duration(seconds)}: gives {max(count, 0)} evaluations and the comparison at the end, "
            f"{search.least} are the least; give about {needed}"
        )
    return count


def _final(plan: SearchPlan, winner: Mix, written: Mix, narrator: Narrator) -> dict[str, Any]:
    seed = f"seed={fresh_seed(plan.seed)}"
    recipes = [recipe_of(mix, plan.rank.recipes, plan.overrides, seed) for mix in (winner, written)]
    rank = replace(plan.rank, out=plan.rank.out / "final", heldout=_half(plan.rank.out, "other"))
    narrator.say(f"{winner.name} against {written.name}, {FRESH_DRAWS} fresh draws each, on the other half")
    return compare_fresh(rank, plan.rank.out / "explore", recipes[0], recipes[1], narrator)
