"""`curate baseline`: BF16 continuations and logprobs of the held-out prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from curator.cli.options import HeldoutOption, ModelOption, OutOption, PhasesOption, TrustOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.cli.server_options import (
    AllowCodeOption,
    ServeOption,
    ServerArgsOption,
    ServerLogOption,
    ServerPythonOption,
    UrlOption,
    refuse_dtype_of_running,
    serve_options,
)
from curator.cli.task_sample import DEFAULT_ANSWER, AnswerTokensOption, TasksOption, add_answers
from curator.measure.baseline_settings import PHASES, Place, Settings
from curator.models.locate import DEFAULT_MODEL
from curator.serve.interface import Dtype
from curator.serve.open import IN_PROCESS

# What a server runs easily; in this process each further size costs as much as the first.
_SERVER_SIZES, _OWN_SIZES = (8, 1, 32), (8,)
# Long enough for an answer that thinks; in this process that would take hours.
_SERVER_NEW = 2048


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate baseline --heldout heldout.jsonl --url http://127.0.0.1:30000 --out baseline"
    )(baseline)


def baseline(
    out: OutOption,
    model: ModelOption = DEFAULT_MODEL,
    url: UrlOption = None,
    serve: ServeOption = None,
    server_python: ServerPythonOption = None,
    server_args: ServerArgsOption = None,
    server_log: ServerLogOption = None,
    allow_code: AllowCodeOption = False,
    heldout: HeldoutOption = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Scored tokens a prompt.")] = 128,
    window: Annotated[
        Place,
        typer.Option("--window", help="Which of a continuation: the last ones up to EOS, the first, or spread."),
    ] = "last",
    max_new: Annotated[
        int | None,
        typer.Option(
            "--max-new",
            min=1,
            help=f"Most greedy tokens a prompt; left out, as the prompt says, else {_SERVER_NEW} on a server and "
            "as --tokens in this process.",
        ),
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Length of the stored logprob lists.")] = 256,
    batch_size: Annotated[
        list[int] | None,
        typer.Option(
            "--batch-size",
            min=1,
            help="Repeat for several; the first is primary. Left out, 8, 1 and 32 on a server, 8 in this process.",
        ),
    ] = None,
    phase: PhasesOption = "both",
    full: Annotated[
        bool, typer.Option("--full/--no-full", help="Keep full-vocabulary logits of the prefill (in process).")
    ] = True,
    dtype: Annotated[
        Dtype | None,
        typer.Option("--dtype", help="Compute type; left out, float32 here and the model's own on a GPU server."),
    ] = None,
    tasks: TasksOption = None,
    answer_tokens: AnswerTokensOption = DEFAULT_ANSWER,
    trust_remote_code: TrustOption = False,
    json: JsonFlag = False,
) -> None:
    """Decode greedily with the BF16 model and keep its distributions, once, to compare candidates with.

    The same command goes on after a stop, prompt by prompt.
    """
    from curator._outputs import refuse_foreign
    from curator.measure.collect import BASELINE_FOLDER, collect, passes
    from curator.measure.heldout import load_prompts, make_heldout
    from curator.models.locate import locate_model
    from curator.serve.open import open_server
    from curator.tokens.tokenizer import Tokenizer

    options = serve_options(url, serve, server_python, server_args, server_log, allow_code)
    refuse_dtype_of_running(url, dtype)
    refuse_foreign(out, BASELINE_FOLDER)
    progress = narrator()
    with progress.bar("load the tokenizer and held-out prompts", None):
        folder = locate_model(model)
        tokenizer = Tokenizer(folder)
        prompts = load_prompts(heldout) if heldout else make_heldout()
    served = options != IN_PROCESS
    settings = Settings(
        tokens=tokens,
        max_new=max_new or (max(_SERVER_NEW, tokens) if served else tokens),
        top_k=min(top_k, tokenizer.size),
        batch_sizes=tuple(dict.fromkeys(batch_size or (_SERVER_SIZES if served else _OWN_SIZES))),
        full=full and not served,
        most_new=max_new,
        phases=PHASES if phase == "both" else (phase,),
        place=window,
    )
    server = open_server(
        options, folder, None, tokenizer.size, dtype, progress, trust_remote_code=trust_remote_code
    )
    try:
        with progress.bar(f"baseline of {len(prompts)} prompts", len(prompts) * passes(settings)) as advance:
            taken = collect(server, tokenizer, prompts, settings, out, advance)
        if tasks is not None:
            add_answers(server, tasks, folder, answer_tokens, out, progress)
    finally:
        server.close()
    if json:
        print_json({"out": str(out), **taken.manifest})
        return
    _show(out, taken)
    next_step(f"curate score --baseline {out} --checkpoint DIR")


def _show(out: Path, taken: Any) -> None:
    shown = console()
    sizes = "; ".join(f"{size}: {', '.join(taken.phases(size)) or 'survival only'}" for size in taken.sizes)
    count = taken.manifest["scored_tokens"]
    shown.print(f"{out}: {len(taken.prompts)} prompts, {count:,} scored tokens, batch {sizes}", markup=False)
    masses = taken.manifest["mass"]
    words = ", ".join(f"{task} {100 * one['mean']:.2f} %" for task, one in masses.items())
    shown.print(f"probability in the top {taken.top_k}: {words}", markup=False)
    for note in taken.manifest["notes"]:
        shown.print(f"note: {note}", markup=False)
