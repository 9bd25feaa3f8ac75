"""`curate ls`: what ships and what can be read here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from curator.cli.output import JsonFlag, console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from curator.corpora.card import Card
    from curator.models.embedded import Embedded

Kind = Literal["recipes", "corpora", "generators", "models", "methods"]
# GPTQ takes its activation scales from the set too; what tells sets apart are the weights.
_CHANGES = {
    "weights": "weights, activation scales",
    "activation-scales": "activation scales",
    "nothing": "nothing",
}
# What --json has more; on a terminal it stands below the table, or in it where there is room.
_BELOW = {"install", "home", "problem", "folder"}
_ROOM = 120
_SHORT = {"language": "lang", "size": "rows, size"}
_WRAPPED = {"size", "title", "tasks", "copy of", "options", "low continuity", "data changes"}
_KINDS: tuple[Kind, ...] = ("recipes", "corpora", "generators", "models", "methods")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate ls corpora")(ls)


def ls(
    kind: Annotated[Kind | None, typer.Argument(help="What to list; everything when left out.")] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask the hub whether its data sets can be reached (corpora).")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """List the recipes, corpora, generators, embedded models and quantisation methods."""
    tables = {name: _rows(name, probe) for name in ([kind] if kind else _KINDS)}
    if json:
        print_json(tables)
        return
    out = console()
    for name, rows in tables.items():
        out.print(name, style="bold", markup=False)
        _print_table(out, rows, narrow="title" if name == "corpora" else "")
        for note in _notes(name, rows):
            out.print(note, style="dim", markup=False, soft_wrap=True)
        out.print()


def _print_table(out: Console, rows: list[dict[str, Any]], narrow: str) -> None:
    from rich.text import Text

    from curator.report.terminal_tables import new_table, print_table

    wide = out.width >= _ROOM
    shown = [key for key in (rows[0] if rows else ()) if key not in _BELOW and (wide or key != narrow)]
    table = new_table()
    for key in shown:
        # A name that is cut cannot be typed.
        table.add_column(_SHORT.get(key, key), no_wrap=key not in _WRAPPED, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(key, row[key])) for key in shown))
    print_table(out, table)


def _cell(key: str, value: Any) -> str:
    # The heading says what the numbers are.
    return str(value).replace(" rows", "") if key == "size" else str(value)


def _notes(kind: Kind, rows: list[dict[str, Any]]) -> list[str]:
    """What does not fit into a table: lines to type, folders, and what the hub answered."""
    if kind == "models":
        return [f"folder of {row['name']}: {row['folder']}" for row in rows]
    notes = [f"{row['id']}: {row['install']}" for row in rows if row.get("install")]
    return [*notes, *(row["problem"] for row in rows if row.get("problem"))]


def _rows(kind: Kind, probe: bool) -> list[dict[str, Any]]:
    return {
        "recipes": _recipes,
        "corpora": lambda: _corpora(probe),
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


def _corpora(probe: bool) -> list[dict[str, Any]]:
    from curator.corpora.shelf import available, load_cards

    cards = list(load_cards().values())
    rows = [
        {
            "id": card.id,
            "task": card.task,
            "language": card.language,
            "licence": card.licence,
            "size": card.size,
            "here": _here(card),
            "install": available(card),
            "title": card.title,
            "home": card.home,
        }
        for card in cards
    ]
    return _probed(cards, rows) if probe else rows


def _here(card: Card) -> str:
    from curator.corpora.shelf import available

    if card.dataset is None:
        return "no" if available(card) else "yes"
    # Only now: the hub library need not be there for what lies here.
    from curator.corpora.hub.state import hub_state

    return hub_state(card.dataset)


def _probed(cards: list[Card], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    from curator.corpora.hub.state import probe

    asked = [(row, card.dataset) for card, row in zip(cards, rows, strict=True) if card.dataset is not None]
    for (row, _), problem in zip(asked, probe([place for _, place in asked]), strict=True):
        row["problem"] = problem
        if row["here"] == "hub":
            row["here"] = "not reached" if problem else "reached"
    return rows


def _generators() -> list[dict[str, Any]]:
    from curator.corpora.generators import GENERATORS

    return [
        {
            "name": name,
            "low continuity": {"always": "always", "options": "by option", "never": "never"}[
                generator.low_continuity
            ],
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
            "folder": _folder(model),
        }
        for model in EMBEDDED.values()
    ]


def _folder(model: Embedded) -> str:
    """Where the model lies as a transformers folder."""
    from curator.models.embedded import cache_folder

    place = cache_folder() / "models"
    made = [path for path in sorted(place.glob(f"{model.name}-*")) if (path / "config.json").is_file()]
    return str(made[-1]) if made else f"{place}, made on first use"


def _methods() -> list[dict[str, Any]]:
    from curator.recipe.all_methods import METHODS
    from curator.recipe.quantize_settings import QuantizeSettings

    return [
        {
            "name": name,
            "data changes": _CHANGES[QuantizeSettings.model_validate({"method": name}).data_acts],
            "title": method.title,
        }
        for name, method in METHODS.items()
    ]
