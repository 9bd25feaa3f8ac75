"""`curate build`: a calibration set from a recipe."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator._progress import Narrator
from curator.cli import signals
from curator.cli.engine_options import EngineOption, RayAddressOption, check_sources, engine_workers
from curator.cli.options import HeldoutOption, OutOption, WorkersOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.cli.recipe_options import AllWindowsOption, SetOption, changes
from curator.cli.server_options import (
    ServeOption,
    ServerArgsOption,
    ServerLogOption,
    ServerPythonOption,
    UrlOption,
    serve_options,
)
from curator.models.locate import DEFAULT_MODEL

if TYPE_CHECKING:
    from curator.pipeline.open_source import OpenSource
    from curator.serve.open import ServeOptions


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate build coherent-mix --out sets/coherent-mix")(build)


def build(
    context: typer.Context,
    recipe: Annotated[str, typer.Argument(help="Recipe file, or the name of one that ships (curate ls).")],
    out: OutOption,
    model: Annotated[
        str | None, typer.Option("--model", help="Model whose tokenizer is used; overrides the recipe's.")
    ] = None,
    heldout: HeldoutOption = None,
    draw: Annotated[int, typer.Option("--draw", min=0, help="Which draw: 0 is the first.")] = 0,
    overrides: SetOption = None,
    all_windows: AllWindowsOption = False,
    url: UrlOption = None,
    serve: ServeOption = None,
    server_python: ServerPythonOption = None,
    server_args: ServerArgsOption = None,
    server_log: ServerLogOption = None,
    workers: WorkersOption = None,
    engine: EngineOption = "local",
    ray_address: RayAddressOption = None,
    json: JsonFlag = False,
) -> None:
    """Build a calibration set: gather, refuse junk, fill the task shares, tokenise, write a set folder."""
    from curator._lock import output_lock
    from curator.cli.serving import model_answers
    from curator.engine.aside import aside
    from curator.export.folder import refuse_other_set, write_set
    from curator.measure.heldout import load_prompts, make_heldout
    from curator.models.locate import locate_tokenizer, model_name
    from curator.pipeline.build import build_draws
    from curator.pipeline.sources import open_sources
    from curator.recipe.load import find_recipe, load_recipe
    from curator.recipe.source_kinds import SelfSource
    from curator.tokens.tokenizer import Tokenizer

    loaded = load_recipe(find_recipe(recipe), changes(overrides, all_windows=all_windows), references=True)
    refuse_other_set(out, loaded.recipe.name)
    context.with_resource(output_lock(out))
    options = serve_options(url, serve, server_python, server_args, server_log)
    progress = narrator()
    if any(isinstance(source, SelfSource) for source in loaded.recipe.sources):
        _expect_answers(options, progress)
    with engine_workers(engine, ray_address, workers, progress) as found:
        check_sources(found, loaded)
        # Before any model is touched: most of what can be wrong with a recipe shows here.
        with progress.bar("read the sources", None):
            sources = open_sources(loaded, found, tell=lambda source: _tell_read(source, progress))
        name = model or loaded.recipe.model or DEFAULT_MODEL
        located = locate_tokenizer(name, progress)
        with progress.bar("load the tokenizer and held-out prompts", None):
            # A wrong file is told before a tokenizer is loaded, which takes seconds.
            given = load_prompts(heldout) if heldout else None
            with aside(make_heldout, found) if given is None else nullcontext(lambda: given) as held_out:
                tokenizer = Tokenizer(located, loaded.template)
                prompts = held_out()
        total = loaded.recipe.size.total * (draw + 1)
        # Loaded only when the recipe asks for its text, and that is not known yet.
        with (
            closing(
                model_answers(name, tokenizer, options, progress, loaded.recipe.trust_remote_code)
            ) as answerer,
            progress.bar(f"build {loaded.recipe.name}", total) as advance,
        ):
            made = build_draws(loaded, tokenizer, draw + 1, prompts, advance, sources, answerer, found)[draw]
    summary = _summary(write_set(made, tokenizer, prompts, out, model_name(name)), out)
    if json:
        print_json(summary)
        return
    from curator.report.terminal import print_build

    print_build(summary, console())
    # A set that fell short is for its maker to look at, not for the next step.
    if not made.is_short():
        next_step(f"curate quantize {out} --out checkpoints/{out.name}")


def _tell_read(source: OpenSource, progress: Narrator) -> None:
    from curator.pipeline.use import read_so_far
    from curator.select.supply import FiniteSupply

    if isinstance(source.supply, FiniteSupply):
        progress.say(read_so_far(source.name, source.supply))


def _expect_answers(options: ServeOptions, progress: Narrator) -> None:
    """Prepare for answers of the model: an address is tried before minutes go into what would be lost with it."""
    from curator.cli.serving import refuse_dead

    signals.keep("the model's answers that were made")
    if options.url is not None:
        with progress.bar(f"reach the server at {options.url}", None):
            refuse_dead(options.url)


def _summary(manifest: dict[str, Any], out: Path) -> dict[str, Any]:
    names = (
        "name",
        "model",
        "set_hash",
        "samples",
        "tokens",
        "shares",
        "asked",
        "margins",
        "shortfall",
        "dropped",
        "first_dropped",
        "cut",
        "unused_tokens",
        "low_continuity",
        "diversity",
        "leakage",
        "short",
        "licences",
        "warnings",
    )
    return {**{name: manifest[name] for name in names}, "out": str(out)}
