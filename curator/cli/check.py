"""`curate check`: whether a recipe is right, and whether there is enough text for it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from curator._errors import RefusedError
from curator.cli.options import MAX_DRAWS
from curator.cli.output import JsonFlag, console, print_json
from curator.cli.recipe_options import SetOption


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate check mine.yaml --draws 5")(check)


def check(
    recipes: Annotated[list[str], typer.Argument(help="Recipe files or names of shipped ones.")],
    draws: Annotated[
        int, typer.Option("--draws", min=1, max=MAX_DRAWS, help="Draws that the text must suffice for.")
    ] = 1,
    overrides: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Check recipes without touching a model: all errors at once, and pool tokens over tokens needed a source."""
    from curator.pipeline.supply_check import check_supply
    from curator.recipe.load import find_recipe, load_all

    loaded = load_all([find_recipe(recipe) for recipe in recipes], overrides or (), references=True)
    results = []
    for one in loaded:
        lines = check_supply(one, draws)
        sources = [
            {
                "source": line.source,
                "task": line.task,
                "pool_tokens": line.pool_tokens,
                "needed_tokens": line.needed_tokens,
                "remote": line.remote,
                "ratio": None if line.ratio is None else round(line.ratio, 2),
            }
            for line in lines
        ]
        results.append(
            {
                "recipe": str(one.path),
                "name": one.recipe.name,
                "origin": list(one.origin),
                "notes": list(one.notes),
                "sources": sources,
            }
        )
    if json:
        print_json({"draws": draws, "recipes": results})
    else:
        for result in results:
            _print(result, draws)
    _refuse_short(results, draws)


def _print(result: dict[str, Any], draws: int) -> None:
    from rich.table import Table

    table = Table("source", "task", "pool tokens", "needed", "pool / needed", box=None, pad_edge=False)
    for number, column in enumerate(table.columns):
        # On a narrow terminal names are broken, figures never.
        column.overflow = "fold"
        column.no_wrap, column.justify = (True, "right") if number >= 2 else (False, "left")
    for source in result["sources"]:
        pool, ratio = source["pool_tokens"], source["ratio"]
        table.add_row(
            source["source"],
            source["task"],
            ("at the hub" if source["remote"] else "no end") if pool is None else f"~{pool:,}",
            f"{source['needed_tokens']:,}",
            "" if ratio is None else f"{ratio:,.1f}",
        )
    out = console()
    words = "draw" if draws == 1 else "draws"
    out.print(f"{result['name']}: the recipe is valid; text for {draws} {words}:", markup=False)
    out.print(table)
    for line in result["origin"]:
        out.print(line, markup=False)
    for note in result["notes"]:
        out.print(f"note: {note}", markup=False)


def _refuse_short(results: list[dict[str, Any]], draws: int) -> None:
    """Refuse when a task's sources together are too small; one source may make up for another."""
    short = []
    for result in results:
        for task in dict.fromkeys(source["task"] for source in result["sources"]):
            own = [source for source in result["sources"] if source["task"] == task]
            pools = [source["pool_tokens"] for source in own]
            needed = sum(source["needed_tokens"] for source in own)
            if None not in pools and sum(pools) < needed:
                short.append(
                    f"{result['recipe']}: task {task} needs {needed} tokens, its sources hold ~{sum(pools)}"
                )
    if short:
        raise RefusedError("; ".join(short) + f"; add sources, lower size, or ask for fewer draws than {draws}")
