"""`curate score`: one candidate against the baseline."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from curator.cli.options import TrustOption
from curator.cli.output import JsonFlag, console, print_json
from curator.cli.progress import narrator
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate score --baseline baseline --checkpoint checkpoints/coherent-mix")(score)


def score(
    baseline: Annotated[Path, typer.Option("--baseline", help="Baseline folder.")],
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="NVFP4 checkpoint, measured in this process.")
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help="SGLang server of the candidate.")] = None,
    scheme: Annotated[
        Scheme | None, typer.Option("--scheme", help="W4A4 or W4A16; what the checkpoint stores when left out.")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", min=1, help="One the baseline has; its first when left out.")
    ] = None,
    dtype: Annotated[
        Dtype | None, typer.Option("--dtype", help="Compute type; the baseline's when left out.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="A fact that may differ; marks the result as not comparable."),
    ] = None,
    trust_remote_code: TrustOption = False,
    json: JsonFlag = False,
) -> None:
    """Measure KL, cosine similarity and top-1 agreement of a candidate: the quick check before a submission."""
    from curator._errors import InputError
    from curator.cli.serving import open_server
    from curator.measure.baseline import Baseline
    from curator.measure.score import check_comparable, score_candidate
    from curator.quantize.checkpoint import open_checkpoint
    from curator.serve.http import checked_host

    if (checkpoint is None) == (url is None):
        raise InputError("give either --checkpoint DIR or --url URL")
    if url is not None:
        # Before the baseline is read.
        checked_host(url)
    reference = Baseline(baseline)
    size = batch_size or reference.batch_size
    # Fails here, before a model is loaded, when the baseline has no such batch size.
    reference.scores(size)
    if checkpoint is not None and scheme is None:
        with open_checkpoint(checkpoint) as opened:
            scheme = opened.scheme
    compute = dtype or _baseline_dtype(reference)
    vocabulary = int(reference.manifest["vocabulary"])
    server = open_server(checkpoint, scheme, url, vocabulary, compute, trust_remote_code)
    try:
        warnings = check_comparable(reference, server, tuple(allow or ()))
        with narrator().bar(f"score at batch {size}", len(reference.windows)) as advance:
            table = score_candidate(reference, server, size, advance)
        warnings += server.notes
    finally:
        server.close()
    result = _result(reference, table, scheme, warnings, url, size)
    if json:
        print_json(result)
        return
    from curator.report.score_terminal import print_score

    print_score(result, console())


def _baseline_dtype(reference: Any) -> Dtype:
    stored = reference.manifest["server"].get("dtype")
    return "bfloat16" if stored == "bfloat16" else "float32"


def _result(
    reference: Any, table: Any, scheme: Scheme | None, warnings: list[str], url: str | None, size: int
) -> dict[str, Any]:
    from curator.measure.floors import baseline_floors
    from curator.measure.summary import prompt_means, score_summary
    from curator.rank.statistical_design import MIN_PROMPTS
    from curator.rank.statistics import ArmKL, Design, arm_interval

    tasks = tuple(prompt["task"] for prompt in reference.prompts)
    weights = {task: 1 / len(set(tasks)) for task in dict.fromkeys(tasks)}
    values = prompt_means(table, "kl", [prompt["id"] for prompt in reference.prompts])
    notes = [*warnings, *reference.manifest.get("notes", [])]
    if len(reference.manifest["settings"]["batch_sizes"]) == 1:
        notes.append("no noise floor: `curate baseline --batch-size 8 --batch-size 1` takes one")
    notes.append("prefill only, one candidate; `curate rank` compares candidates")
    interval = None
    if min(Counter(tasks).values()) >= MIN_PROMPTS:
        arm = ArmKL("candidate", values[None], False, False)
        interval = arm_interval(arm, Design(tasks, weights, data_acts="weights"))
    else:
        notes.append(f"no interval: a task with fewer than {MIN_PROMPTS} prompts has no variance over them")
    if url:
        notes.append("a server may run W4A4 checkpoints weight-only; its own log says which kernel it chose")
    return {
        **_bounded(score_summary(table, interval), full=table.attrs["estimator"] == "full vocabulary"),
        "scheme": scheme or "as served",
        "estimator": table.attrs["estimator"],
        "conditions": f"{len(tasks)} prompts, {len(table)} tokens scored by prefill at batch {size}",
        "floors": baseline_floors(reference),
        "warnings": notes,
    }


def _bounded(summary: dict[str, Any], *, full: bool) -> dict[str, Any]:
    """The lower bound belongs beside an estimate from lists, not beside the exact value."""
    return {key: value for key, value in summary.items() if not (full and key == "kl_lower_bound")}
