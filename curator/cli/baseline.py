"""`curate baseline`: BF16 continuations and logprobs of the held-out prompts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator._progress import Narrator, unseen
from curator.cli.options import (
    MAX_BATCH,
    MAX_TOKENS,
    HeldoutOption,
    ModelOption,
    OutOption,
    PhasesOption,
    TrustOption,
)
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.resumable import resumable
from curator.cli.server_options import HERE, ServerChoice, takes_server
from curator.cli.task_sample import DEFAULT_ANSWER, AnswerTokensOption, TaskQuestions, TasksOption
from curator.measure.baseline_settings import Place, Settings, phases_of
from curator.models.locate import DEFAULT_MODEL
from curator.serve.interface import Dtype

# What a server runs easily; in this process each further size costs as much as the first.
_SERVER_SIZES, _OWN_SIZES = (8, 1, 32), (8,)
# Long enough for an answer that thinks; in this process that would take hours.
_SERVER_NEW = 2048

if TYPE_CHECKING:
    from curator.measure.heldout import Prompt
    from curator.serve.interface import Server


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate baseline --heldout heldout.jsonl --url http://127.0.0.1:30000 --out baseline"
    )(baseline)


@takes_server
def baseline(
    out: OutOption,
    model: ModelOption = DEFAULT_MODEL,
    server: ServerChoice = HERE,
    heldout: HeldoutOption = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, max=MAX_TOKENS, help="Scored tokens a prompt.")] = 128,
    window: Annotated[
        Place,
        typer.Option("--window", help="Which of a continuation: the last ones up to EOS, the first, or spread."),
    ] = "last",
    max_new: Annotated[
        int | None,
        typer.Option(
            "--max-new",
            min=1,
            max=MAX_TOKENS,
            help=f"Most greedy tokens a prompt; left out, as the prompt says, else {_SERVER_NEW} on a server and "
            "as --tokens in this process.",
        ),
    ] = None,
    top_k: Annotated[
        int, typer.Option("--top-k", min=1, max=MAX_TOKENS, help="Length of the stored logprob lists.")
    ] = 256,
    batch_size: Annotated[
        list[int] | None,
        typer.Option(
            "--batch-size",
            min=1,
            max=MAX_BATCH,
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

    The same command goes on after a stop, batch by batch. A finished baseline is never replaced by another.
    """
    from curator._outputs import refuse_foreign
    from curator.measure.collect import BASELINE_FOLDER, begin, collect, sweep_finished
    from curator.measure.finished import finished
    from curator.measure.heldout import load_prompts, make_heldout
    from curator.measure.work import known_before
    from curator.models.locate import locate_model
    from curator.serve.known_facts import known_facts
    from curator.serve.open import open_server
    from curator.tokens.tokenizer import Tokenizer

    options = server.options(dtype)
    refuse_foreign(out, BASELINE_FOLDER)
    progress = resumable()
    folder = locate_model(model, progress)
    with progress.bar("load the tokenizer and held-out prompts", None):
        tokenizer = Tokenizer(folder)
        prompts = load_prompts(heldout) if heldout else make_heldout()
    served = not options.here
    settings = Settings(
        tokens=tokens,
        max_new=max_new or (max(_SERVER_NEW, tokens) if served else tokens),
        top_k=min(top_k, tokenizer.size),
        batch_sizes=tuple(dict.fromkeys(batch_size or (_SERVER_SIZES if served else _OWN_SIZES))),
        full=full and not served,
        most_new=max_new,
        phases=phases_of(phase),
        place=window,
    )
    # All that can be refused without the model is refused before it is opened, which takes minutes on a server.
    questions = None if tasks is None else TaskQuestions(tasks, tokenizer, answer_tokens)
    facts = known_facts(options, None if server.url else folder)
    taken = finished(out, known_before(tokenizer, prompts, settings), facts)
    if taken is not None:
        sweep_finished(out)
        progress.say(f"{out}: a finished baseline of the same is there already; delete it to take it again")
    if taken is None or (questions is not None and not questions.answered(out)):
        with (
            begin(out, tokenizer, prompts, settings),
            closing(
                open_server(
                    options, folder, None, tokenizer.size, dtype, progress, trust_remote_code=trust_remote_code
                )
            ) as opened,
        ):
            if taken is None:
                _announce(progress, prompts, settings)
                taken = collect(
                    opened,
                    tokenizer,
                    prompts,
                    settings,
                    out,
                    unseen,
                    held=True,
                    narrator=progress,
                    note=_note(opened, folder, server.url is not None),
                )
            if questions is not None:
                questions.add_answers(opened, out, progress)
    if json:
        print_json({"out": str(out), **taken.manifest})
        return
    _show(out, taken)
    where = f"--serve {server.serve} --checkpoint DIR" if server.serve else "--checkpoint DIR"
    where = f"--url {server.url}" if server.url else where
    next_step(f"curate score --baseline {out} {where}")


def _note(server: Server, folder: Path, elsewhere: bool) -> str:
    """What a report must say of the model that answers; at an address it need not be the one of our tokenizer."""
    from curator.models.locate import model_note

    if not elsewhere:
        return model_note(folder)
    served = Path(server.facts().get("model_path", ""))
    if served.is_dir():
        return model_note(served)
    # On another machine: the folders of our own cache are named by their content.
    return model_note(folder) if served.name == folder.resolve().name else ""


def _announce(progress: Narrator, prompts: list[Prompt], settings: Settings) -> None:
    """Say how much is coming: on a CPU it takes hours."""
    most = max(settings.new_tokens(prompt) for prompt in prompts)
    sizes = ", ".join(map(str, settings.batch_sizes))
    progress.say(f"up to {most:,} greedy tokens a prompt (--max-new), {len(prompts)} prompts, batch {sizes}")


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
