"""`curate profile`: what an evaluation set is made of, and a recipe from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from curator.cli.options import ModelOption, WorkersOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL

if TYPE_CHECKING:
    from curator.profile.derive_recipe import Derivation
    from curator.profile.schema import Profile

_EPILOG = "Example: curate profile eval.jsonl --derive mine.yaml --html profile.html"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog=_EPILOG)(profile)


def profile(
    evaluation: Annotated[
        Path, typer.Argument(metavar="EVAL", help="Evaluation items, a row each (JSON Lines ...).")
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
    samples: Annotated[int, typer.Option("--samples", min=1, help="Sequences of the derived recipe.")] = 16,
    tokens: Annotated[int, typer.Option("--tokens", min=16, help="Tokens of each of them.")] = 512,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Count an evaluation set by task: lengths, languages, continuity, random text, templates, repeats, golds."""
    from curator.engine.local import usable_cores
    from curator.models.locate import locate_tokenizer, model_name
    from curator.profile.columns import parse_map
    from curator.profile.make import Plan, make_profile

    asked = parse_map(columns)
    _refuse_outputs([evaluation, outputs], out, html, derive)
    plan = Plan(
        evaluation, asked, model_name(model), locate_tokenizer(model), embedder, windows, outputs,
        workers or usable_cores(),
    )  # fmt: skip
    found = make_profile(plan, narrator())
    derivation = None
    if derive is not None:
        from curator.profile.derive_recipe import Wish, derive_recipe

        wish = Wish(by, factor, samples, tokens, "" if model == DEFAULT_MODEL else model)
        derivation = derive_recipe(found, wish, derive, evaluation)
    _write(found, derivation, out, html, derive)
    if json:
        files = {"out": out, "html": html, "derive": derive}
        print_json({**found.model_dump(mode="json"), "written": {k: str(v) for k, v in files.items() if v}})
        return
    _print(found, derivation, out, html, derive)


def _refuse_outputs(read: Sequence[Path | None], out: Path | None, html: Path | None, derive: Path | None) -> None:
    """Before any work: what is in the way of the files to be written."""
    import os

    from curator._errors import InputError
    from curator._outputs import refuse_foreign_file
    from curator.cli.pages import refuse_in_set
    from curator.profile.profile_file import is_profile

    written = [path for path in (out, html, derive) if path is not None]
    taken = {path.resolve() for path in read if path is not None}
    for path in written:
        if path.resolve() in taken:
            raise InputError(f"{path}: is read, or named for another result; give each result a file of its own")
        taken.add(path.resolve())
        refuse_in_set(path, path)
    if html is not None:
        _refuse_other_page(html)
    if out is not None:
        refuse_foreign_file(out, is_profile)
    if derive is not None:
        if os.path.lexists(derive):
            raise InputError(f"{derive}: exists and is not replaced; name another file with --derive")
        if derive.suffix not in {".yaml", ".yml"}:
            raise InputError(f"{derive}: a recipe's file ends in .yaml; name it {derive.name}.yaml")


def _refuse_other_page(html: Path) -> None:
    from curator.cli.pages import refuse_other_page
    from curator.report._templates import environment

    # Any page of ours begins as the frame of all does.
    source = environment().get_template("_page.html.j2").render()
    refuse_other_page(html, source)


def _write(
    found: Profile, derivation: Derivation | None, out: Path | None, html: Path | None, derive: Path | None
) -> None:
    from curator._files import write_json, write_text

    if html is not None:
        from curator.cli.pages import write_page
        from curator.report.profile_html import profile_html

        write_page(html, profile_html(found.model_dump(mode="json")))
    if out is not None:
        write_json(out, found.model_dump(mode="json"))
    if derive is not None and derivation is not None:
        write_text(derive, derivation.text)


def _print(
    found: Profile, derivation: Derivation | None, out: Path | None, html: Path | None, derive: Path | None
) -> None:
    from curator.report.format import one_line
    from curator.report.profile_terminal import print_profile

    shown = console()
    print_profile(found.model_dump(mode="json"), shown)
    shown.print()
    for path in (out, html, derive):
        if path is not None:
            shown.print(f"written to {path}", markup=False, soft_wrap=True)
    for note in derivation.notes if derivation else ():
        shown.print(f"recipe: {one_line(note)}", markup=False, soft_wrap=True)
    if derive is not None:
        next_step(f"curate check {derive}")
    elif out is not None:
        next_step(f"curate heldout --from-profile {out}")
