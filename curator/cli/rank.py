"""`curate rank`: recipes in, a ranking out."""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import MAX_DRAWS, HeldoutOption, ModelOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
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
from curator.recipe.quantize_methods import MethodName, Scheme
from curator.serve.interface import Dtype

if TYPE_CHECKING:
    from curator.recipe.load import LoadedRecipe
    from curator.recipe.quantize_settings import QuantizeSettings
    from curator.serve.open import ServeOptions


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
        MethodName | None,
        typer.Option("--method", help="Quantisation method of every arm; the recipes say, else gptq."),
    ] = None,
    scheme: Annotated[Scheme, typer.Option("--scheme", help="Scheme of the primary number.")] = "W4A4",
    draws: Annotated[
        int, typer.Option("--draws", min=1, max=MAX_DRAWS, help="Sets an arm; 5 and more compare recipes.")
    ] = 1,
    null: Annotated[
        str,
        typer.Option("--null", help="Of no-data,random-tokens,second-draw; or none."),
    ] = ",".join(NULL_ARMS),
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Scored tokens a prompt.")] = 128,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, help="Prompts scored together.")] = 8,
    heldout: HeldoutOption = None,
    per_task: Annotated[
        int, typer.Option("--per-task", min=2, help="Held-out prompts a kind, when made here.")
    ] = 16,
    dtype: Annotated[
        Dtype | None,
        typer.Option("--dtype", help="Compute type; float32, on a GPU server the model's, when left out."),
    ] = None,
    serve: ServeOption = None,
    server_python: ServerPythonOption = None,
    server_args: ServerArgsOption = None,
    server_log: ServerLogOption = None,
    url: UrlOption = None,
    margin: Annotated[float, typer.Option("--margin", min=0.0, help="Equivalence margin, a share of KL.")] = 0.05,
    allow_unequal: Annotated[bool, typer.Option("--allow-unequal", help="Rank sets of unequal size.")] = False,
    keep_checkpoints: Annotated[
        bool, typer.Option("--keep-checkpoints", help="Keep the quantised models.")
    ] = False,
    overrides: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Build, quantise and measure every recipe and rank them, with intervals, floors and ties."""
    from curator._errors import InputError
    from curator.models.fingerprint import model_fingerprint
    from curator.models.locate import locate_model
    from curator.rank.experiment import run
    from curator.rank.plan import Plan
    from curator.recipe.load import find_recipe, load_all

    if not math.isfinite(margin):
        raise InputError(f"--margin {margin}: not a finite number; give a share of KL such as 0.05")
    options, measurable = _serving(url, serve_options(None, serve, server_python, server_args, server_log), scheme)
    loaded = load_all([find_recipe(recipe) for recipe in recipes], overrides or ())
    folder = locate_model(model)
    plan = Plan(
        recipes=tuple(loaded),
        model=folder,
        model_name=model,
        model_hash=model_fingerprint(folder),
        out=out,
        quantize=_quantize_settings(loaded, method),
        trust_remote_code=all(one.recipe.trust_remote_code for one in loaded),
        scheme=scheme,
        serving=options,
        measurable=measurable,
        draws=draws,
        nulls=_nulls(null),
        tokens=tokens,
        batch_size=batch_size,
        per_task=per_task,
        heldout=heldout,
        dtype=dtype or (None if serve else "float32"),
        margin=margin,
        allow_unequal=allow_unequal,
        keep_checkpoints=keep_checkpoints,
    )
    ranking = run(plan, narrator())
    if json:
        print_json(ranking)
        return
    from curator.report.terminal import print_ranking

    print_ranking(ranking, console())
    console().print(f"\nreport: {out / 'report.html'}", markup=False, soft_wrap=True)
    if draws < 5:
        # As it was typed: another --tokens or --model would be another run.
        typed = shlex.join(["curate", *sys.argv[1:]])
        console().print("\nmore draws go on in the same folder and compare recipes, not sets:", markup=False)
        next_step(f"{typed} --draws 5")


def _serving(url: str | None, options: ServeOptions, scheme: Scheme) -> tuple[ServeOptions, tuple[Scheme, ...]]:
    """Where the arms run, and the schemes that can be measured there: told before hours of quantising."""
    from curator._errors import InputError
    from curator.serve.launch.weights import measurable, refuse_scheme

    if url is not None:
        raise InputError(
            "--url: a ranking serves one checkpoint after the other, and one address serves one; take --serve "
            "sglang, or `curate score --url` for each"
        )
    if options.launcher is None:
        return options, ("W4A4", "W4A16")
    _, gpu = options.launcher.find()
    refuse_scheme(scheme, gpu, options.launcher.words())
    return options, measurable(gpu, options.launcher.words())


def _quantize_settings(loaded: list[LoadedRecipe], method: MethodName | None) -> QuantizeSettings:
    """How all arms are quantised: as every recipe says, which must be the same."""
    from curator._errors import InputError
    from curator.recipe.quantize_overrides import quantize_settings

    typed = [f"quantize.method={method}"] if method else []
    asked = [quantize_settings(one.recipe.model_dump(mode="json"), str(one.path), typed) for one in loaded]
    other = next((one for one, own in zip(loaded, asked, strict=True) if own != asked[0]), None)
    if other is not None:
        raise InputError(
            f"{loaded[0].path} and {other.path} differ in quantize; a ranking compares sets, "
            "so quantise all arms alike"
        )
    if asked[0].scheme != "W4A4":
        raise InputError(
            f"{loaded[0].path}: quantize.scheme {asked[0].scheme}: a ranking quantises by W4A4 and "
            "measures both schemes; leave it out, or take --scheme W4A16 for the primary number"
        )
    return asked[0]


def _nulls(text: str) -> tuple[NullArm, ...]:
    from curator._errors import InputError

    names = [] if text == "none" else [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in NULL_ARMS]
    if unknown:
        raise InputError(f"--null {unknown[0]!r}: no such null arm; choose from {', '.join(NULL_ARMS)}, or none")
    return tuple(name for name in NULL_ARMS if name in names)
