"""`curate profile`: what an evaluation set is made of, and a recipe from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from curator.cli.options import ModelOption, WorkersOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL

if TYPE_CHECKING:
    from curator.cli.profile_files import ProfileFiles
    from curator.profile.derive_recipe import Derivation
    from curator.profile.schema import Profile

_EPILOG = "Example: curate profile eval.jsonl --derive mine.yaml --html profile.html"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog=_EPILOG)(profile)


def profile(
    evaluation: Annotated[
        Path, typer.Argument(metavar="EVAL", help="Evaluation items, a row each (JSON Lines ...), or a profile.")
    ],
    columns: Annotated[
        str | None,
        typer.Option("--map", help="Columns: task=kind,prompt=context+question,gold=answer (or messages=...)."),
    ] = None,
    outputs: Annotated[
        Path | None, typer.Option("--outputs", help="A run's predictions: index, prediction, score ...")
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    embedder: Annotated[
        str, typer.Option("--embedder", help="Sentence embedder of the continuity score, as in recipes.")
    ] = "all-MiniLM-L6-v2",
    windows: Annotated[
        int,
        typer.Option("--windows", min=2, max=1000, help="Windows of a long prompt whose continuity is scored."),
    ] = 8,
    out: Annotated[Path | None, typer.Option("--out", help="Profile to write (JSON), for heldout.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="HTML file to write as well.")] = None,
    derive: Annotated[Path | None, typer.Option("--derive", help="Recipe file to write; never replaced.")] = None,
    by: Annotated[
        Literal["items", "input_tokens", "total_tokens"],
        typer.Option("--by", help="What becomes a task's share of the recipe's tokens."),
    ] = "items",
    factor: Annotated[
        float,
        typer.Option(
            "--low-continuity-factor", min=0, max=1, help="What is kept of the low-continuity share (--derive)."
        ),
    ] = 0.5,
    samples: Annotated[
        int, typer.Option("--samples", min=1, max=1_000_000, help="Sequences of the derived recipe.")
    ] = 16,
    tokens: Annotated[int, typer.Option("--tokens", min=16, max=1_048_576, help="Tokens of each of them.")] = 512,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Count an evaluation set by task: lengths, languages, continuity, random text, templates, repeats, golds."""
    from curator.cli.profile_files import ProfileFiles
    from curator.engine.local import usable_cores
    from curator.models.locate import locate_tokenizer, model_name
    from curator.profile.columns import parse_map
    from curator.profile.make import Plan, make_profile
    from curator.profile.profile_file import evaluation_of, holds_profile, load_profile

    files = ProfileFiles(out, html, derive)
    files.refuse([evaluation, outputs])
    source: Path | None = evaluation
    if holds_profile(evaluation):
        _refuse_with_profile(evaluation, {"--map": columns, "--outputs": outputs})
        found = load_profile(evaluation)
        source = evaluation_of(found, evaluation)
    else:
        plan = Plan(
            evaluation, parse_map(columns), model_name(model), locate_tokenizer(model, narrator()), embedder,
            windows, outputs, workers or usable_cores(),
        )  # fmt: skip
        found = make_profile(plan, narrator())
    derivation = None
    if derive is not None:
        from curator.profile.derive_recipe import Wish, derive_recipe

        wish = Wish(by, factor, samples, tokens, "" if model == DEFAULT_MODEL else model)
        derivation = derive_recipe(found, wish, derive, source)
    files.write(found, derivation)
    if json:
        print_json({**found.model_dump(mode="json"), "written": files.written()})
        return
    _print(found, derivation, files, model)


def _refuse_with_profile(path: Path, given: Mapping[str, object]) -> None:
    from curator._errors import InputError

    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option} goes with an evaluation file; {path} is a profile, whose counting is done")


def _print(found: Profile, derivation: Derivation | None, files: ProfileFiles, model: str) -> None:
    from curator.cli.profile_next import heldout_command
    from curator.report.format import one_line
    from curator.report.profile_terminal import print_profile

    shown = console()
    print_profile(found.model_dump(mode="json"), shown)
    shown.print()
    for path in files.written().values():
        shown.print(f"written to {path}", markup=False, soft_wrap=True)
    for note in derivation.notes if derivation else ():
        shown.print(f"recipe: {one_line(note)}", markup=False, soft_wrap=True)
    if files.derive is not None:
        next_step(f"curate check {files.derive}")
    elif files.out is not None:
        next_step(heldout_command(files.out, found, model))
