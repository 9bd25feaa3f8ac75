"""`curate search`: a recipe and what may change in it in, a better mix or none out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.experiment_options import (
    BatchSizeOption,
    ComputeTypeOption,
    DeviceOption,
    KeepCheckpointsOption,
    TokensOption,
)
from curator.cli.options import MAX_PROMPTS, HeldoutOption, ModelOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.cli.rank_options import quantize_settings_of, serving_of, typed_command
from curator.cli.recipe_options import SetOption
from curator.cli.search_overview import show_overview
from curator.cli.server_options import (
    ServeOption,
    ServerArgsOption,
    ServerLogOption,
    ServerPythonOption,
    serve_options,
)
from curator.models.locate import DEFAULT_MODEL
from curator.recipe.quantize_methods import Scheme

_MOST = 10_000


@dataclass(frozen=True, slots=True)
class _Budget:
    evaluations: int | None
    seconds: float | None


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate search mine.yaml coherent-mix --over target.tasks.*,sources.*.weight --budget 40"
    )(search)


def search(
    recipes: Annotated[
        list[str], typer.Argument(help="The recipe to search in, then other written ones that a mix has to beat.")
    ],
    over: Annotated[
        str,
        typer.Option(
            "--over", help="Paths to search, as sources.*.weight,low_continuity.max_share or PATH=LOW..HIGH."
        ),
    ],
    budget: Annotated[
        str,
        typer.Option(
            "--budget", help="Evaluations, or a time such as 2h that becomes a number of them at the start."
        ),
    ] = "30",
    out: Annotated[Path, typer.Option("--out", help="Search folder; the same command goes on in it.")] = Path(
        "runs/search"
    ),
    only_plan: Annotated[
        bool,
        typer.Option("--plan", help="Print space, evaluations, prompts and the estimated time; do nothing else."),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of proposals, halves and fresh draws.")] = 0,
    model: ModelOption = DEFAULT_MODEL,
    method: Annotated[
        str | None, typer.Option("--method", help="Quantisation method; the recipes say, else gptq.")
    ] = None,
    scheme: Annotated[Scheme, typer.Option("--scheme", help="Scheme that is searched by.")] = "W4A4",
    tokens: TokensOption = 128,
    batch_size: BatchSizeOption = 8,
    heldout: HeldoutOption = None,
    per_task: Annotated[
        int,
        typer.Option(
            "--per-task",
            min=4,
            max=MAX_PROMPTS,
            help="Held-out prompts a kind, when made here; half for each part.",
        ),
    ] = 32,
    dtype: ComputeTypeOption = None,
    device: DeviceOption = "cpu",
    serve: ServeOption = None,
    server_python: ServerPythonOption = None,
    server_args: ServerArgsOption = None,
    server_log: ServerLogOption = None,
    keep_checkpoints: KeepCheckpointsOption = False,
    overrides: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Look for a better mix on half of the prompts, and compare it with the best recipe on the other half."""
    from curator.models.fingerprint import model_fingerprint
    from curator.models.locate import locate_model
    from curator.quantize.machine import find_devices
    from curator.rank.plan import Plan
    from curator.recipe.load import find_recipe, load_all
    from curator.search.run import SearchPlan, run_search

    asked = _budget(budget)
    # A device that is not there is told now.
    find_devices(device)
    options, measurable = serving_of(
        None, serve_options(None, serve, server_python, server_args, server_log), scheme
    )
    loaded = load_all([find_recipe(recipe) for recipe in recipes], overrides or ())
    folder = locate_model(model, narrator())
    plan = Plan(
        recipes=tuple(loaded),
        model=folder,
        model_name=model,
        model_hash=model_fingerprint(folder),
        out=out,
        quantize=quantize_settings_of(loaded, _one_method(method)),
        trust_remote_code=all(one.recipe.trust_remote_code for one in loaded),
        scheme=scheme,
        serving=options,
        measurable=measurable,
        nulls=(),
        tokens=tokens,
        batch_size=batch_size,
        per_task=per_task,
        heldout=heldout,
        dtype=dtype or (None if serve else "float32"),
        device=device,
        keep_checkpoints=keep_checkpoints,
        command=typed_command(),
    )
    planned = SearchPlan(plan, over, tuple(overrides or ()), asked.evaluations, asked.seconds, seed)
    if only_plan:
        show_overview(planned, as_json=json)
        return
    result = run_search(planned, narrator())
    if json:
        print_json(result)
        return
    from curator.report.search_terminal import print_search

    print_search(result, console())
    console().print(f"\nreport: {result['result']['report']}", markup=False, soft_wrap=True)
    next_step(result["winner"]["build"])


def _budget(text: str) -> _Budget:
    from curator._errors import InputError
    from curator.rank.budget import parse_budget

    # int() takes more than digits, and digits of other scripts.
    if not (text.isascii() and text.isdigit()):
        return _Budget(None, parse_budget(text))
    if len(text) > len(str(_MOST)) or not 0 < int(text) <= _MOST:
        raise InputError(f"--budget {text}: give 1 to {_MOST:,} evaluations, or a time such as 2h")
    return _Budget(int(text), None)


def _one_method(method: str | None) -> str | None:
    from curator._errors import InputError

    if method is not None and "," in method:
        raise InputError(f"--method {method}: a search is under one method; compare methods with `curate rank`")
    return method
