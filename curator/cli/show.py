"""`curate show`: a recipe with every value it comes to."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from curator.cli.output import JsonFlag, print_json
from curator.cli.recipe_options import SetOption


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate show coherent-mix --set size.samples=32 > mine.yaml")(show)


def show(
    recipe: Annotated[str, typer.Argument(help="Recipe file, or the name of one that ships (curate ls).")],
    overrides: SetOption = None,
    json: JsonFlag = False,
) -> None:
    """Print a recipe as YAML with all its values: what it extends, its defaults and --set included."""
    from curator.recipe.load import find_recipe, load_recipe
    from curator.recipe.render import recipe_values, to_yaml

    loaded = load_recipe(find_recipe(recipe), overrides or ())
    if not json:
        sys.stdout.write(to_yaml(loaded))
        return
    print_json(
        {
            "recipe": recipe_values(loaded.recipe),
            "path": str(loaded.path),
            "sha256": loaded.sha256,
            "origin": list(loaded.origin),
            "notes": list(loaded.notes),
            "sources": [{"file": str(place.file), "line": place.line} for place in loaded.places],
        }
    )
