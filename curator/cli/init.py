"""`curate init`: a first recipe from what is here."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.output import JsonFlag, console, next_step, print_json

if TYPE_CHECKING:
    from curator.recipe.starter import Findings


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate init --model ./model --eval eval.jsonl --out mine.yaml")(init)


def init(
    out: Annotated[Path, typer.Option("--out", help="Recipe file to write; never replaced.")] = Path(
        "recipe.yaml"
    ),
    model: Annotated[
        Path | None, typer.Option("--model", help="Model folder; looked for in this folder when left out.")
    ] = None,
    evaluation: Annotated[
        Path | None,
        typer.Option(
            "--eval", help="Evaluation items (JSON Lines with task, question, gold); looked for likewise."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write a commented recipe from the model, the evaluation file and the texts in this folder and below."""
    from curator._errors import InputError
    from curator._files import write_text
    from curator.recipe.starter import write_starter

    if os.path.lexists(out):
        raise InputError(f"{out}: exists and is not replaced; name another file with --out")
    if out.suffix not in {".yaml", ".yml"}:
        raise InputError(f"{out}: a recipe's file ends in .yaml; name it {out.name}.yaml")
    found = _look(model, evaluation)
    starter = write_starter(out, found)
    write_text(out, starter.text)
    command = f"curate check {shlex.quote(str(out))}"
    if json:
        print_json(
            {
                "recipe": str(out),
                "model": str(found.models[0]) if len(found.models) == 1 else None,
                "evaluation": str(found.evaluation.path) if found.evaluation else None,
                "tasks": dict(starter.items),
                "without_source": list(starter.without),
                "next": command,
            }
        )
        return
    shown = console()
    shown.print(f"{out}: {', '.join(starter.items)}", markup=False, soft_wrap=True)
    for task in starter.without:
        shown.print(f"left out: task {task!r}, no source that ships is for it", markup=False, soft_wrap=True)
    if len(found.models) > 1 or (found.evaluations and not found.evaluation):
        shown.print("several models or evaluation files are here; the recipe's comments name them", markup=False)
    next_step(command)


def _look(model: Path | None, evaluation: Path | None) -> Findings:
    from curator._errors import InputError
    from curator.recipe.found_here import find_evaluations, find_models, is_model, read_evaluation
    from curator.recipe.starter import Findings
    from curator.recipe.texts_here import find_texts

    here = Path()
    if model is not None and not is_model(model):
        raise InputError(f"{model}: no model folder; it needs config.json and a tokenizer's files")
    models = [model] if model is not None else find_models(here)
    files = [evaluation] if evaluation is not None else find_evaluations(here)
    known = {Path(os.path.normpath(path)) for path in files}
    return Findings(
        models=models,
        evaluations=files,
        evaluation=read_evaluation(files[0]) if len(files) == 1 else None,
        texts=find_texts(here, known),
    )
