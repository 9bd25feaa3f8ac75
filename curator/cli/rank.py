"""`curate rank`: recipes in, a ranking out."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator.cli.engine_options import EngineOption, RayAddressOption, engine_workers
from curator.cli.experiment_options import (
    BatchSizeOption,
    ComputeTypeOption,
    DeviceOption,
    KeepCheckpointsOption,
    TokensOption,
)
from curator.cli.options import HeldoutOption, ModelOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.cli.rank_options import (
    AllowUnequalOption,
    BudgetOption,
    DrawsOption,
    LogOption,
    LooksOption,
    MarginOption,
    NullArmsOption,
    PlanOption,
    PrimarySchemeOption,
    PromptsATaskOption,
    drawn_amount,
    quantize_settings_of,
    serving_of,
    typed_command,
)
from curator.cli.rank_overview import show_overview
from curator.cli.recipe_options import SetOption
from curator.cli.server_options import (
    ServeOption,
    ServerArgsOption,
    ServerLogOption,
    ServerPythonOption,
    UrlOption,
    serve_options,
)
from curator.models.locate import DEFAULT_MODEL
from curator.rank.plan import NULL_ARMS, NullArm

if TYPE_CHECKING:
    from curator.rank.plan import Plan

_ALL_NULLS = ",".join(NULL_ARMS)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate rank coherent-mix code-only mine.yaml --out runs/first --draws 5")(rank)


def rank(
    recipes: Annotated[list[str], typer.Argument(help="Recipe files or names of shipped ones: the arms.")],
    out: Annotated[Path, typer.Option("--out", help="Run folder; the same command goes on in it.")] = Path(
        "runs/rank"
    ),
    model: ModelOption = DEFAULT_MODEL,
    method: Annotated[
        str | None,
        typer.Option("--method", help="Quantisation method of every arm, or several; the recipes say, else gptq."),
    ] = None,
    scheme: PrimarySchemeOption = "W4A4",
    draws: DrawsOption = None,
    looks: LooksOption = None,
    budget: BudgetOption = None,
    only_plan: PlanOption = False,
    null: NullArmsOption = _ALL_NULLS,
    tokens: TokensOption = 128,
    batch_size: BatchSizeOption = 8,
    heldout: HeldoutOption = None,
    per_task: PromptsATaskOption = 16,
    dtype: ComputeTypeOption = None,
    serve: ServeOption = None,
    server_python: ServerPythonOption = None,
    server_args: ServerArgsOption = None,
    server_log: ServerLogOption = None,
    url: UrlOption = None,
    margin: MarginOption = 0.05,
    device: DeviceOption = "cpu",
    engine: EngineOption = "local",
    ray_address: RayAddressOption = None,
    allow_unequal: AllowUnequalOption = False,
    keep_checkpoints: KeepCheckpointsOption = False,
    overrides: SetOption = None,
    log: LogOption = None,
    json: JsonFlag = False,
) -> None:
    """Build, quantise and measure every recipe and rank them, with intervals, floors and ties."""
    from curator._errors import InputError
    from curator.models.fingerprint import model_fingerprint
    from curator.models.locate import locate_model
    from curator.quantize.machine import find_devices
    from curator.rank.experiment import run
    from curator.rank.plan import Plan
    from curator.recipe.load import find_recipe, load_all

    if not math.isfinite(margin):
        raise InputError(f"--margin {margin}: not a finite number; give a share of KL such as 0.05")
    # Asked now, as is the device: not after hours of work.
    target = None if log is None else _log_target(log)
    server = serve_options(None, serve, server_python, server_args, server_log)
    options, measurable = serving_of(url, server, scheme)
    if ray_address is None:
        find_devices(device)
    amount = drawn_amount(draws, looks, budget)
    loaded = load_all([find_recipe(recipe) for recipe in recipes], overrides or ())
    folder = locate_model(model, narrator())
    plan = Plan(
        recipes=tuple(loaded),
        model=folder,
        model_name=model,
        model_hash=model_fingerprint(folder),
        out=out,
        quantize=quantize_settings_of(loaded, method),
        trust_remote_code=all(one.recipe.trust_remote_code for one in loaded),
        scheme=scheme,
        serving=options,
        measurable=measurable,
        draws=amount.draws,
        looks=amount.looks,
        budget=amount.budget,
        nulls=_nulls(null),
        tokens=tokens,
        batch_size=batch_size,
        per_task=per_task,
        heldout=heldout,
        dtype=dtype or (None if serve else "float32"),
        margin=margin,
        allow_unequal=allow_unequal,
        keep_checkpoints=keep_checkpoints,
        device=device,
        command=typed_command(),
    )
    if only_plan:
        show_overview(plan, as_json=json)
        return
    progress = narrator()
    with engine_workers(engine, ray_address, None, progress) as workers:
        ranking = run(plan, progress, workers)
    if target is not None:
        _log(out, target)
    if json:
        print_json(ranking)
    else:
        _print(ranking, plan)


def _print(ranking: dict[str, Any], plan: Plan) -> None:
    from curator.report.terminal import print_ranking

    print_ranking(ranking, console())
    console().print(f"\nreport: {plan.out / 'report.html'}", markup=False, soft_wrap=True)
    if plan.draws < 5 and not (plan.looks or plan.budget):
        console().print("\nmore draws go on in the same folder and compare recipes, not sets:", markup=False)
        next_step(f"{_without_draws(plan.command)} --draws 5")


def _without_draws(command: str) -> str:
    """A command without its ``--draws``, which is given anew."""
    parts = shlex.split(command)
    kept = [
        part
        for before, part in zip(["", *parts], parts, strict=False)
        if "--draws" not in (before, part) and not part.startswith("--draws=")
    ]
    return shlex.join(kept)


def _log_target(text: str) -> str:
    from curator.export.mlflow_log import checked_target

    return checked_target(text)


def _log(folder: Path, uri: str) -> None:
    from curator.export.mlflow_log import log_ranking

    logged = log_ranking(folder, uri)
    narrator().say(f"{'logged' if logged.new else 'was logged before'}: MLflow run {logged.run} at {logged.place}")


def _nulls(text: str) -> tuple[NullArm, ...]:
    from curator._errors import InputError

    names = [] if text == "none" else [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in NULL_ARMS]
    if unknown:
        raise InputError(f"--null {unknown[0]!r}: no such null arm; choose from {', '.join(NULL_ARMS)}, or none")
    return tuple(name for name in NULL_ARMS if name in names)
