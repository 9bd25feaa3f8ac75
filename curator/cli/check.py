"""`curate check`: whether a recipe is right, and whether there is enough text for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator._errors import RefusedError
from curator.cli.options import MAX_DRAWS
from curator.cli.output import JsonFlag, console, print_json
from curator.cli.recipe_options import SetOption

if TYPE_CHECKING:
    from rich.table import Table

    from curator.pipeline.supply_check import SupplyCheck, SupplyLine
    from curator.recipe.load import LoadedRecipe

_SET = "--set "


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
    checked = [(one, check_supply(one, draws)) for one in loaded]
    if json:
        print_json({"draws": draws, "recipes": [_as_json(one, found) for one, found in checked]})
    else:
        for one, found in checked:
            _print(one, found, draws)
    fix = (
        "add sources or lower size"
        if draws == 1
        else f"add sources, lower size, or ask for fewer than {draws} draws"
    )
    # What the target asks in vain tells its own cure: more text of the same kind would not help.
    problems = [gap for _, found in checked for gap in found.gaps]
    problems += [f"{one.path}: {what}; {fix}" for one, found in checked for what in _short(found.lines)]
    if problems:
        raise RefusedError("\n".join(problems))


def _as_json(loaded: LoadedRecipe, found: SupplyCheck) -> dict[str, Any]:
    sources = [
        {
            "source": line.source,
            "task": line.task,
            "pool_tokens": line.pool_tokens,
            "needed_tokens": line.needed_tokens,
            "remote": line.remote,
            "ratio": None if line.ratio is None else round(line.ratio, 2),
            "rows": line.rows,
            "bad": [{"reason": one.reason, "rows": one.count, "where": list(one.where)} for one in line.bad],
            "notes": list(line.notes),
        }
        for line in found.lines
    ]
    return {
        "recipe": str(loaded.path),
        "name": loaded.recipe.name,
        "origin": list(loaded.origin),
        "notes": list(loaded.notes),
        "sources": sources,
        "gaps": found.gaps,
    }


def _print(loaded: LoadedRecipe, found: SupplyCheck, draws: int) -> None:
    from curator.report.terminal_tables import print_table

    out, lines = console(), found.lines
    verdict = "valid, but short of text" if _short(lines) or found.gaps else "the recipe is valid"
    words = [f"{loaded.recipe.name}: {verdict}", *(f"note: {note}" for note in loaded.notes)]
    # An override is told as it was typed.
    words += [f"set: {line.removeprefix(_SET)}" if line.startswith(_SET) else line for line in loaded.origin]
    words.append(f"text for {draws} {'draw' if draws == 1 else 'draws'}:")
    for word in words:
        out.print(word, markup=False)
    print_table(out, _table(lines))
    # A file that serves several tasks tells the same of each.
    for note in dict.fromkeys(note for line in lines for note in (line.bad_words(), *line.notes) if note):
        out.print(f"note: {note}", markup=False)


def _table(lines: list[SupplyLine]) -> Table:
    from rich.text import Text

    from curator.report.terminal_tables import add_numbers, add_words, new_table

    table = new_table()
    add_words(table, "source", "task")
    add_numbers(table, "pool tokens", "needed", "pool / needed")
    for line in lines:
        table.add_row(
            Text(line.source),
            Text(line.task),
            _pool_words(line),
            f"{line.needed_tokens:,}",
            "" if line.ratio is None else f"{line.ratio:,.1f}",
        )
    return table


def _pool_words(line: SupplyLine) -> str:
    if line.pool_tokens is None:
        return "at the hub" if line.remote else "no end"
    return "none of its rows" if line.rows and not line.pool_tokens else f"~{line.pool_tokens:,}"


def _short(lines: list[SupplyLine]) -> list[str]:
    """Tasks whose sources together are too small; one source may make up for another."""
    short = []
    for task in dict.fromkeys(line.task for line in lines):
        own = [line for line in lines if line.task == task]
        needed = sum(line.needed_tokens for line in own)
        pools = [line.pool_tokens for line in own if line.pool_tokens is not None]
        if len(pools) == len(own) and sum(pools) < needed:
            short.append(f"task {task} needs {needed} tokens, its sources hold ~{sum(pools)}")
    return short
