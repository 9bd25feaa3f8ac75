"""`curate baseline`: BF16 continuations and logprobs of the held-out prompts."""

from __future__ import annotations

from typing import Annotated

import typer

from curator.cli.options import HeldoutOption, ModelOption, OutOption, TrustOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL
from curator.serve.interface import Dtype


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate baseline --heldout heldout.jsonl --url http://127.0.0.1:30000 --out baseline"
    )(baseline)


def baseline(
    out: OutOption,
    model: ModelOption = DEFAULT_MODEL,
    url: Annotated[
        str | None, typer.Option("--url", help="SGLang server of this model; in this process when left out.")
    ] = None,
    heldout: HeldoutOption = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Scored tokens a prompt, the last ones.")] = 128,
    max_new: Annotated[
        int | None,
        typer.Option(
            "--max-new", min=1, help="Most greedy tokens a prompt; left out, as the prompt says, or as --tokens."
        ),
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Length of the stored logprob lists.")] = 256,
    batch_size: Annotated[
        list[int] | None, typer.Option("--batch-size", min=1, help="Repeat for several; the first is primary.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--no-full", help="Keep full-vocabulary logits (in process).")
    ] = True,
    dtype: Annotated[Dtype, typer.Option("--dtype", help="Compute type in process.")] = "float32",
    trust_remote_code: TrustOption = False,
    json: JsonFlag = False,
) -> None:
    """Decode greedily with the BF16 model and keep its distributions, once, to compare candidates with."""
    from curator._outputs import refuse_foreign
    from curator.cli.serving import open_server
    from curator.measure.baseline import BASELINE_FOLDER, collect
    from curator.measure.baseline_settings import Settings
    from curator.measure.heldout import load_prompts, make_heldout
    from curator.models.locate import locate_model
    from curator.tokens.tokenizer import Tokenizer

    refuse_foreign(out, BASELINE_FOLDER)
    progress = narrator()
    with progress.bar("load the tokenizer and held-out prompts", None):
        folder = locate_model(model)
        tokenizer = Tokenizer(folder)
        prompts = load_prompts(heldout) if heldout else make_heldout()
    sizes = tuple(dict.fromkeys(batch_size or [8]))
    settings = Settings(
        tokens, max(max_new or tokens, tokens), min(top_k, tokenizer.size), sizes, full and not url, max_new
    )
    server = open_server(folder, None, url, tokenizer.size, dtype, trust_remote_code)
    try:
        with progress.bar(f"baseline of {len(prompts)} prompts", len(prompts) * (1 + len(sizes))) as advance:
            taken = collect(server, tokenizer, prompts, settings, out, advance)
    finally:
        server.close()
    if json:
        print_json({"out": str(out), **taken.manifest})
        return
    count = taken.manifest["scored_tokens"]
    console().print(
        f"{out}: {len(prompts)} prompts, {count} scored tokens, batch sizes {list(sizes)}", markup=False
    )
    for note in taken.manifest["notes"]:
        console().print(f"note: {note}", markup=False)
    next_step(f"curate score --baseline {out} --checkpoint DIR")
