"""The whole run, from recipes to a ranking. Every step finds its own result again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from curator._lock import folder_lock, sweep_temporaries
from curator._outputs import refuse_foreign
from curator._progress import Narrator
from curator.engine.interface import Workers, engine_of
from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt
from curator.quantize.machine import find_devices
from curator.quantize.run import kept_quantiser
from curator.rank.afar import check_run_folder
from curator.rank.arms import Arm, make_arms, planned_arms
from curator.rank.budget import fix_draws, stored_draw_plan, stored_draws
from curator.rank.comparisons import comparison_words
from curator.rank.cost import Costs
from curator.rank.document import ranking_document
from curator.rank.leaks import with_leaks
from curator.rank.measure_all import Outcome, measure_all
from curator.rank.measure_arm import measure_draw
from curator.rank.overview import notes
from curator.rank.plan import RUN_FOLDER, Plan, fix_plan
from curator.rank.planned_prompts import planned_prompts
from curator.rank.prepare import frozen_prompts, take_baseline
from curator.rank.sets import scarce_text
from curator.rank.stored import read_result
from curator.report.ranking_files import write_ranking
from curator.tokens.tokenizer import Tokenizer


def run(plan: Plan, narrator: Narrator, workers: Workers = 1) -> dict[str, Any]:
    """Run, or go on with, one ranking.

    Args:
        plan: what it is.
        narrator: shows how far it is.
        workers: an engine measures many sets at once; processes of this machine do not.

    Returns:
        The ranking (see summary.py), also written to ``ranking.json``, with ``report.html`` beside it.

    Raises:
        RefusedError: the plan cannot give a fair ranking, or differs from the one begun in this folder.
        InputError, RecipeError, DependencyError: as the steps say.
    """
    # Before the lock: its file must not land in a folder of something else.
    refuse_foreign(plan.out, RUN_FOLDER)
    with folder_lock(plan.out):
        fix_plan(plan)
        sweep_temporaries(plan.out)
        if (engine := engine_of(workers)) is not None:
            check_run_folder(engine, plan)
        finished = _finished(plan)
        if finished is not None:
            return finished
        for note in notes(plan):
            narrator.say(note)
        tokenizer, prompts = frozen_prompts(plan, narrator)
        with kept_quantiser(find_devices(plan.device) if engine is None else ()) as prepare_quantiser:
            plan = _with_draws(plan, tokenizer, prompts, narrator)
            outcome, baseline = _measured(plan, tokenizer, prompts, narrator, workers, prepare_quantiser)
        ranking = ranking_document(plan, baseline, outcome, tokenizer.decode)
        write_ranking(plan.out, ranking)
    return ranking


def _measured(
    plan: Plan,
    tokenizer: Tokenizer,
    prompts: list[Prompt],
    narrator: Narrator,
    workers: Workers,
    prepare_quantiser: Callable[[], None],
) -> tuple[Outcome, Baseline]:
    """Sets, baseline and scores: what is there is found again."""
    for note in scarce_text(plan):
        narrator.say(note)
    # Before the baseline: what a recipe lacks is told in seconds.
    arms = make_arms(plan, tokenizer, prompts, narrator, plan.first_draws)
    narrator.say(comparison_words(planned_arms(plan)))
    if not all((draw.folder / "receipt.json").is_file() for arm in arms for draw in arm.draws):
        # Beside the baseline, which leaves a core free where there are several.
        prepare_quantiser()
    baseline = take_baseline(plan, tokenizer, prompts, narrator)
    exempt = [path for loaded in plan.recipes for path in loaded.exempt]

    def sets(draws: Mapping[str, int]) -> list[Arm]:
        return with_leaks(make_arms(plan, tokenizer, prompts, narrator, draws), baseline, tokenizer, exempt)

    return measure_all(plan, baseline, sets, narrator, workers), baseline


def _finished(plan: Plan) -> dict[str, Any] | None:
    """The ranking of this very plan, when it is there with its report."""
    decided = plan if plan.budget is None else stored_draws(plan)
    if decided is None or not ((plan.out / "ranking.json").is_file() and (plan.out / "report.html").is_file()):
        return None
    ranking = read_result(plan.out / "ranking.json")
    return ranking if ranking is not None and ranking.get("run_key") == decided.key() else None


def _with_draws(plan: Plan, tokenizer: Tokenizer, prompts: list[Prompt], narrator: Narrator) -> Plan:
    """The plan with its draws: a budget is turned into them once, and they are found again."""
    if plan.budget is None:
        return plan
    decided, when = stored_draws(plan), "as fixed when it began: "
    if decided is None:
        prompts_known, when = planned_prompts(plan), ""
        costs = Costs(plan, prompts_known)
        if not all(costs.knows(settings) for settings in plan.quantize):
            narrator.say("--budget: nothing is timed yet; one set a method is measured, then draws are fixed")
            _time_first(plan, tokenizer, prompts, narrator)
        decided = fix_draws(plan, prompts_known, plan.budget)
    narrator.say(when + (stored_draw_plan(plan) or {})["words"])
    return decided


def _time_first(plan: Plan, tokenizer: Tokenizer, prompts: list[Prompt], narrator: Narrator) -> None:
    """Measure the first recipe's first set under every method: the run needs them whatever it comes to."""
    arms = make_arms(replace(plan, draws=1, looks=(), nulls=()), tokenizer, prompts, narrator)
    baseline = take_baseline(plan, tokenizer, prompts, narrator)
    for arm in arms:
        if arm.recipe == plan.recipes[0].recipe.name:
            measure_draw(plan, baseline, arm.draws[0], arm.quantize, f"{arm.name} draw 0", narrator)
