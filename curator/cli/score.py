"""`curate score`: one candidate against the baseline."""

from __future__ import annotations

import shlex
import sys
from typing import Any, get_args

import typer

from curator.cli.options import ModelOption, PhasesOption, TrustOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.resumable import resumable
from curator.cli.score_options import (
    AllowOption,
    BaselineOption,
    BaselineTypeOption,
    BatchSizesOption,
    CheckpointOption,
    MaxKLOption,
    MinTop1Option,
    RepeatsOption,
    SchemeOption,
)
from curator.cli.server_options import HERE, ServerChoice, takes_server
from curator.cli.task_sample import DEFAULT_CHANCE, EvalItemsOption, MinChanceOption, PassScoreOption, TasksOption
from curator.measure.baseline_settings import phases_of
from curator.models.locate import DEFAULT_MODEL
from curator.serve.interface import Dtype


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate score --baseline baseline --checkpoint checkpoints/mine --max-kl 0.25")(
        score
    )


@takes_server
def score(
    baseline: BaselineOption,
    checkpoint: CheckpointOption = None,
    server: ServerChoice = HERE,
    scheme: SchemeOption = None,
    batch_size: BatchSizesOption = None,
    phase: PhasesOption = "both",
    max_kl: MaxKLOption = None,
    min_top1: MinTop1Option = None,
    dtype: BaselineTypeOption = None,
    allow: AllowOption = None,
    repeats: RepeatsOption = 1,
    tasks: TasksOption = None,
    pass_score: PassScoreOption = None,
    min_chance: MinChanceOption = DEFAULT_CHANCE,
    eval_items: EvalItemsOption = None,
    model: ModelOption = DEFAULT_MODEL,
    trust_remote_code: TrustOption = False,
    json: JsonFlag = False,
) -> None:
    """Measure KL, cosine similarity and top-1 agreement of a candidate: the check before a submission.

    The same command goes on after a stop, batch by batch. With --tasks the candidate also answers a sample of
    the evaluation, beside the reference's answers in the baseline; --url then needs --model, for its tokenizer.

    Columns: "ran" is the prompts that really ran together, where fewer than asked; "at least" the mean KL that the
    top-K lists prove by themselves, where "mean KL" is estimated from lists; "p99" the KL that one token in a
    hundred is over; "in lists %" the reference's probability that its lists hold; "cosine" that of the two vectors
    of probabilities, 1 when equal.
    """
    from curator._errors import InputError, RefusedError
    from curator.cli.score_run import Asked, Candidate, measure_all
    from curator.cli.task_sample import TaskWish
    from curator.measure.baseline import Baseline
    from curator.measure.comparable import check_known
    from curator.measure.gate import Limits
    from curator.models.locate import locate_tokenizer
    from curator.quantize.checkpoint import open_checkpoint
    from curator.serve.interface import Server
    from curator.serve.known_facts import known_facts
    from curator.serve.open import open_server

    if tasks is None and (pass_score is not None or eval_items is not None):
        raise InputError("--pass-score and --eval-items are about --tasks: give that too")
    options = server.options(dtype)
    limits = Limits(max_kl, min_top1)
    if (checkpoint is None) == (server.url is None):
        raise InputError("give --checkpoint DIR, alone or with --serve, or --url URL of a server of the candidate")
    reference = Baseline(baseline)
    gated = bool(limits) or (pass_score is not None and min_chance > 0)
    asked = Asked(tuple(batch_size or ()), phases_of(phase), tuple(allow or ()), limits, gated)
    # All that can be refused without the model is refused before it is opened.
    asked.check(reference)
    check_known(reference, known_facts(options, checkpoint), asked.allow)
    if checkpoint is not None and scheme is None and (options.here or options.backend):
        with open_checkpoint(checkpoint) as opened:
            scheme = opened.scheme
    progress = resumable()

    def start() -> Server:
        return open_server(
            options,
            checkpoint,
            scheme,
            reference.vocabulary,
            dtype or _baseline_dtype(reference),
            progress,
            trust_remote_code=trust_remote_code,
        )

    candidate = Candidate(start, scheme, str(server.url or checkpoint), restarts=options.starts)
    wanted = (
        None
        if tasks is None
        else TaskWish(tasks, checkpoint or locate_tokenizer(model, progress), pass_score, eval_items, min_chance)
    )
    result = measure_all(reference, candidate, asked, repeats, wanted, progress)
    broken = result["gate"]["broken"] if result["gate"] else []
    try:
        _print(result, json)
    except SystemExit:
        # A reader that has seen enough lifts no limit.
        if not broken:
            raise
    if broken:
        raise RefusedError("\n".join(broken))


def _print(result: dict[str, Any], json: bool) -> None:
    if json:
        print_json(result)
        return
    from curator.report.score_terminal import print_gate, print_score
    from curator.report.tasks_terminal import print_jitter, print_tasks

    print_score(result, console())
    print_jitter(result["jitter"], console())
    if result["tasks"]:
        print_tasks(result["tasks"], console())
    print_gate(result["gate"], console())
    more = _next(result)
    if more:
        next_step(shlex.join(["curate", *sys.argv[1:]]) + more)


def _next(result: dict[str, Any]) -> str:
    """What to add to the command as typed, where something is open; empty where nothing is."""
    if result["gate"] and result["gate"]["broken"]:
        return ""
    if result["under_floor"] and not result["jitter"]:
        return " --repeats 3"
    return "" if result["gate"] else " --max-kl NATS --min-top1 SHARE"


def _baseline_dtype(reference: Any) -> Dtype | None:
    """The compute type that the baseline was taken in; ``None`` where its server chose one ("auto")."""
    stored = reference.manifest["server"].get("dtype")
    return stored if stored in get_args(Dtype) else None
