"""The whole run, from recipes to a ranking. Every step finds its own result again."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from typing import Any

from curator._errors import InputError
from curator._files import write_json, write_text
from curator._lock import folder_lock, sweep_temporaries
from curator._outputs import refuse_foreign
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.heldout import Prompt, load_prompts, make_heldout, prompts_sha256, save_prompts
from curator.rank.arms import Arm, make_arms
from curator.rank.floors import measure_floors
from curator.rank.measure_arm import Measured, drop_checkpoint, is_measured, measure_draw
from curator.rank.plan import FLOOR_BATCH, RUN_FOLDER, Plan, fix_plan, fix_prompts
from curator.rank.statistical_design import MIN_PROMPTS
from curator.rank.stored import read_result
from curator.rank.summary import summarise
from curator.report.ranking_html import ranking_html
from curator.serve.open import open_server
from curator.tokens.tokenizer import Tokenizer


def run(plan: Plan, narrator: Narrator) -> dict[str, Any]:
    """Run, or go on with, one ranking.

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
        finished = _finished(plan)
        if finished is not None:
            return finished
        with narrator.bar("load the tokenizer and held-out prompts", None):
            tokenizer = Tokenizer(plan.model)
            # Prompts first: they are frozen before any set is built.
            prompts = _heldout(plan)
        arms = make_arms(plan, tokenizer, prompts, narrator)
        baseline = _baseline(plan, tokenizer, prompts, narrator)
        measured, floors = _measure(plan, baseline, arms, narrator)
        ranking = {**summarise(plan, baseline, arms, measured, floors), "run_key": plan.key()}
        write_json(plan.out / "ranking.json", ranking)
        write_text(plan.out / "report.html", ranking_html(ranking))
    return ranking


def _finished(plan: Plan) -> dict[str, Any] | None:
    """The ranking of this very plan, when it is there with its report."""
    if not ((plan.out / "ranking.json").is_file() and (plan.out / "report.html").is_file()):
        return None
    ranking = read_result(plan.out / "ranking.json")
    return ranking if ranking is not None and ranking.get("run_key") == plan.key() else None


def _heldout(plan: Plan) -> list[Prompt]:
    frozen = plan.out / "heldout.jsonl"
    if not frozen.is_file():
        save_prompts(frozen, load_prompts(plan.heldout) if plan.heldout else make_heldout(plan.per_task))
    prompts = load_prompts(frozen)
    # Now, not after hours of quantising: a variance over prompts needs two of a kind.
    alone = [task for task, count in Counter(prompt.task for prompt in prompts).items() if count < MIN_PROMPTS]
    if alone:
        raise InputError(
            f"held-out prompts: task {alone[0]!r} has only one; a ranking needs {MIN_PROMPTS} of each task"
        )
    fix_prompts(plan, prompts_sha256(prompts))
    return prompts


def _baseline(plan: Plan, tokenizer: Tokenizer, prompts: list[Prompt], narrator: Narrator) -> Baseline:
    folder = plan.out / "baseline"
    if (folder / "baseline.json").is_file():
        try:
            baseline = Baseline(folder)
            if baseline.manifest["prompts_sha256"] == prompts_sha256(prompts):
                return baseline
        except InputError as error:
            narrator.say(f"{error}: taken again")
    batch_sizes = tuple(dict.fromkeys((plan.batch_size, FLOOR_BATCH)))
    settings = Settings(plan.tokens, plan.tokens, plan.top_k, batch_sizes, full=plan.serving.launcher is None)
    steps = len(prompts) * (1 + len(batch_sizes))
    trust = plan.trust_remote_code
    with (
        closing(
            open_server(
                plan.serving, plan.model, None, tokenizer.size, plan.dtype, narrator, trust_remote_code=trust
            )
        ) as server,
        narrator.bar(f"baseline: BF16, {len(prompts)} prompts", steps) as advance,
    ):
        return collect(server, tokenizer, prompts, settings, folder, advance)


def _measure(
    plan: Plan, baseline: Baseline, arms: list[Arm], narrator: Narrator
) -> tuple[dict[str, list[Measured]], dict[str, Any]]:
    """Measure the no-data arm, then the others; the first quantised draw sets the estimate."""
    work = [(arm, number, draw) for arm in arms for number, draw in enumerate(arm.draws)]
    waiting = [draw for arm, _, draw in work if not is_measured(plan, baseline, draw, arm.quantize)]
    timed: float | None = None
    floors: dict[str, Any] = {}
    measured: dict[str, list[Measured]] = {arm.name: [] for arm in arms}
    first = next((arm for arm in arms if not arm.null), None)
    if first is None:
        raise InputError("no recipe to rank")
    for arm, number, draw in work:
        label = arm.name if len(arm.draws) == 1 else f"{arm.name} draw {number}"
        started = time.monotonic()
        fresh = draw in waiting
        measured[arm.name].append(measure_draw(plan, baseline, draw, arm.quantize, label, narrator))
        if fresh:
            waiting.remove(draw)
        if fresh and arm.has_draws and timed is None:
            timed = time.monotonic() - started
            # The floor's second quantisation comes on top of the draws that wait.
            rest = timed * (len(waiting) + (0 if (plan.out / "floors.json").is_file() else 1))
            narrator.say(f"{label} took {timed:.0f} s; about {rest / 60:.0f} min for the rest")
        if arm is first and number == 0:
            floors = measure_floors(plan, baseline, arm, measured[arm.name][0], narrator)
        if not plan.keep_checkpoints:
            drop_checkpoint(draw)
    return measured, floors
