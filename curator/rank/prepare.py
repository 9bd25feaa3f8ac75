"""What every arm of a run is measured on: the frozen prompts, and the baseline."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator._outputs import drop_damaged
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import BASELINE_FOLDER, collect, sweep_finished
from curator.measure.heldout import Prompt, load_prompts, make_heldout, prompts_sha256, save_prompts
from curator.measure.manifest import AGAIN, MANIFEST, check_file
from curator.rank.ledger import Ledger
from curator.rank.plan import FLOOR_BATCH, Plan, fix_plan, fix_prompts
from curator.rank.statistical_design import MIN_PROMPTS
from curator.serve.open import open_server
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a run's arms are measured on.

    Attributes:
        tokenizer: the model's.
        prompts: the held-out prompts, frozen.
        baseline: of these prompts.
    """

    tokenizer: Tokenizer
    prompts: list[Prompt]
    baseline: Baseline


def prepare(plan: Plan, narrator: Narrator) -> Prepared:
    """Fix the plan in its folder, freeze the prompts and take the baseline, or find them again.

    Whoever calls this holds the folder's lock.

    Raises:
        RefusedError: the folder holds a run with other settings.
        InputError, DependencyError: as the steps say.
    """
    fix_plan(plan)
    tokenizer, prompts = frozen_prompts(plan, narrator)
    return Prepared(tokenizer, prompts, take_baseline(plan, tokenizer, prompts, narrator))


def frozen_prompts(plan: Plan, narrator: Narrator) -> tuple[Tokenizer, list[Prompt]]:
    """The model's tokenizer, and the held-out prompts: frozen before any set is built.

    Raises:
        InputError: no prompts, or too few of a task.
        RefusedError: they were changed after they were frozen.
    """
    with narrator.bar("load the tokenizer and held-out prompts", None):
        tokenizer = Tokenizer(plan.model)
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
    return tokenizer, prompts


def take_baseline(plan: Plan, tokenizer: Tokenizer, prompts: list[Prompt], narrator: Narrator) -> Baseline:
    """What the BF16 model says to the prompts, taken unless it is there."""
    folder = plan.out / "baseline"
    found = _stored_baseline(folder, prompts, narrator)
    if found is not None:
        sweep_finished(folder)
        return found
    # What is cut off there is taken again: a run's user cannot choose another place for it.
    drop_damaged(folder, BASELINE_FOLDER)
    batch_sizes = tuple(dict.fromkeys((plan.batch_size, FLOOR_BATCH)))
    settings = Settings(plan.tokens, plan.tokens, plan.top_k, batch_sizes, full=plan.serving.here)
    steps = len(prompts) * (1 + len(batch_sizes))
    trust = plan.trust_remote_code
    with (
        Ledger(plan.out).timed("baseline", prompts_sha256(prompts)),
        closing(
            open_server(
                plan.serving, plan.model, None, tokenizer.size, plan.dtype, narrator, trust_remote_code=trust
            )
        ) as server,
        narrator.bar(f"baseline: BF16, {len(prompts)} prompts", steps) as advance,
    ):
        return collect(server, tokenizer, prompts, settings, folder, advance)


def _stored_baseline(folder: Path, prompts: list[Prompt], narrator: Narrator) -> Baseline | None:
    """The baseline of these prompts that is there, whole; ``None`` when there is none."""
    if not (folder / MANIFEST).is_file():
        return None
    try:
        baseline = Baseline(folder)
        # Now, and not when the first set of hours is to be scored: by then nobody would take it again.
        for name in baseline.manifest["files"]:
            check_file(folder, baseline.manifest, name)
    except InputError as error:
        narrator.say(f"{str(error).removesuffix(f'; {AGAIN}')}; taken again")
        return None
    return baseline if baseline.manifest.get("prompts_sha256") == prompts_sha256(prompts) else None
