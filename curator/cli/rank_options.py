"""Options of `curate rank` that say how much is measured: methods, draws, looks, budget."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import MAX_DRAWS, MAX_PROMPTS
from curator.cli.recipe_options import known_method
from curator.recipe.quantize_methods import Scheme

if TYPE_CHECKING:
    from curator.recipe.load import LoadedRecipe
    from curator.recipe.quantize_settings import QuantizeSettings
    from curator.serve.open import ServeOptions

PrimarySchemeOption = Annotated[Scheme, typer.Option("--scheme", help="Scheme of the primary number.")]
DrawsOption = Annotated[
    int | None,
    typer.Option("--draws", min=1, max=MAX_DRAWS, help="Sets an arm; 5 and more compare recipes.  [default: 1]"),
]
NullArmsOption = Annotated[str, typer.Option("--null", help="Of no-data,random-tokens,second-draw; or none.")]
PromptsATaskOption = Annotated[
    int, typer.Option("--per-task", min=2, max=MAX_PROMPTS, help="Held-out prompts a kind, when made here.")
]
MarginOption = Annotated[float, typer.Option("--margin", min=0.0, help="Equivalence margin, a share of KL.")]
AllowUnequalOption = Annotated[bool, typer.Option("--allow-unequal", help="Rank sets of unequal size.")]
LogOption = Annotated[
    str | None, typer.Option("--log", help="mlflow or mlflow:URI: log the ranking there too (extra mlflow).")
]
LooksOption = Annotated[
    str | None,
    typer.Option(
        "--looks",
        help="Draws at which the run is looked at, as 5,8,12: beaten arms get no more; the error rate is split "
        "over the looks.",
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option("--budget", help="Time for the run, as 2h or 90m: fixes draws and looks at the start."),
]
PlanOption = Annotated[
    bool, typer.Option("--plan", help="Print arms, draws, prompts and the estimated time; do nothing else.")
]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is measured of each arm; see `Plan`."""

    draws: int = 1
    looks: tuple[int, ...] = ()
    budget: float | None = None


def drawn_amount(draws: int | None, looks: str | None, budget: str | None) -> Amount:
    """What ``--draws``, ``--looks`` or ``--budget`` ask for.

    Raises:
        InputError: more than one of them, or a value that cannot be.
    """
    from curator._errors import InputError
    from curator.rank.budget import parse_budget

    given = {"--draws": draws, "--looks": looks, "--budget": budget}
    asked = [name for name, value in given.items() if value is not None]
    if len(asked) > 1:
        raise InputError(f"{asked[0]} and {asked[1]} both say how many draws are measured; leave one out")
    if looks is not None:
        numbers = _numbers(looks)
        return Amount(numbers[-1], numbers)
    return Amount(draws or 1, (), None if budget is None else parse_budget(budget))


def _numbers(text: str) -> tuple[int, ...]:
    from curator._errors import InputError, in_short

    parts = [part.strip() for part in text.split(",")]
    # int() takes more than digits, and digits of other scripts.
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise InputError(f"--looks {in_short(text)!r}: give numbers of draws, such as 5,8,12")
    numbers = tuple(int(part) for part in parts)
    if numbers[-1] > MAX_DRAWS:
        raise InputError(f"--looks {in_short(text)!r}: at most {MAX_DRAWS} draws")
    return numbers


def quantize_settings_of(loaded: list[LoadedRecipe], methods: str | None) -> tuple[QuantizeSettings, ...]:
    """How arms are quantised, an entry a method: as every recipe says, which must be the same.

    Raises:
        InputError: the recipes differ, or no such method.
        RecipeError: a method does not take what a recipe asks for.
    """
    if methods is None:
        return (_alike(loaded, []),)
    names = [name.strip() for name in methods.split(",")]
    return tuple(_alike(loaded, [f"quantize.method={known_method(name)}"]) for name in names)


def _alike(loaded: list[LoadedRecipe], typed: list[str]) -> QuantizeSettings:
    from curator._errors import InputError
    from curator.recipe.quantize_overrides import quantize_settings

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


def serving_of(url: str | None, options: ServeOptions, scheme: Scheme) -> tuple[ServeOptions, tuple[Scheme, ...]]:
    """Where the arms run, and the schemes that can be measured there: told before hours of quantising.

    Raises:
        InputError: an address was given.
        RefusedError: the scheme cannot be measured there.
        DependencyError: no such server.
    """
    from curator._errors import InputError
    from curator.serve.launch.weights import measurable, refuse_scheme

    if url is not None:
        raise InputError(
            "--url: a ranking serves one checkpoint after the other, and one address serves one; take --serve "
            "sglang, or `curate score --url` for each"
        )
    if options.backend:
        from curator.serve import added

        return options, added.refuse_scheme(options.backend, scheme)
    if options.launcher is None:
        return options, ("W4A4", "W4A16")
    _, gpu = options.launcher.find()
    refuse_scheme(scheme, gpu, options.launcher.words())
    return options, measurable(gpu, options.launcher.words())


def typed_command() -> str:
    """The command as it was typed: another --tokens or --model would be another run."""
    return shlex.join(["curate", *sys.argv[1:]])
