"""`curate ls`: what ships and what can be read here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from curator.cli.output import JsonFlag, console, print_json

Kind = Literal["recipes", "corpora", "generators", "models", "methods"]
# GPTQ takes its activation scales from the set too; what tells sets apart are the weights.
_CHANGES = {
    "weights": "weights, activation scales",
    "activation-scales": "activation scales",
    "nothing": "nothing",
}
_KINDS: tuple[Kind, ...] = ("recipes", "corpora", "generators", "models", "methods")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate ls corpora")(ls)


def ls(
    kind: Annotated[Kind | None, typer.Argument(help="What to list; everything when left out.")] = None,
    json: JsonFlag = False,
) -> None:
    """List the recipes, corpora, generators, embedded models and quantisation methods."""
    tables = {name: _rows(name) for name in ([kind] if kind else _KINDS)}
    if json:
        print_json(tables)
        return
    from rich.table import Table

    out = console()
    for name, rows in tables.items():
        out.print(name, style="bold", markup=False)
        table = Table(*(rows[0] if rows else ()), box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        out.print(table)
        out.print()


def _rows(kind: Kind) -> list[dict[str, Any]]:
    return {
        "recipes": _recipes,
        "corpora": _corpora,
        "generators": _generators,
        "models": _models,
        "methods": _methods,
    }[kind]()


def _recipes() -> list[dict[str, Any]]:
    from curator.recipe.load import load_recipe, shipped_recipes

    loaded = [load_recipe(path).recipe for path in shipped_recipes()]
    return [
        {
            "name": recipe.name,
            "tasks": ", ".join(f"{task} {share:.0%}" for task, share in recipe.target.shares().items()),
            "title": recipe.title,
        }
        for recipe in loaded
    ]


def _corpora() -> list[dict[str, Any]]:
    from curator.corpora.shelf import available, load_cards

    return [
        {
            "id": card.id,
            "task": card.task,
            "licence": card.licence,
            "here": "yes" if not (install := available(card)) else f"no: {install}",
            "title": card.title,
        }
        for card in load_cards().values()
    ]


def _generators() -> list[dict[str, Any]]:
    from curator.corpora.generators import GENERATORS

    return [
        {
            "name": name,
            "low continuity": {"always": "always", "options": "by option"}[generator.low_continuity],
            "options": ", ".join(generator.choices) or "none",
            "title": generator.title,
        }
        for name, generator in GENERATORS.items()
    ]


def _models() -> list[dict[str, Any]]:
    from curator.models.embedded import EMBEDDED, package_file

    return [
        {
            "name": model.name,
            "here": "yes" if package_file(model) else f"no: {model.install}",
            "copy of": model.hub_id,
        }
        for model in EMBEDDED.values()
    ]


def _methods() -> list[dict[str, Any]]:
    from curator.quantize.methods import METHODS

    return [
        {"name": method.name, "data changes": _CHANGES[method.data_acts], "title": method.title}
        for method in METHODS.values()
    ]
