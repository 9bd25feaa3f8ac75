"""`curate schema`: the JSON Schema of a recipe file, for editors."""

from __future__ import annotations

import typer

from curator.cli.output import print_json

_EPILOG = (
    "Example: curate schema > recipe.schema.json; then write, as the first line of a recipe, "
    "# yaml-language-server: $schema=recipe.schema.json"
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog=_EPILOG)(schema)


def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of a recipe file, by which editors complete and check it."""
    from curator.recipe.json_schema import recipe_json_schema

    print_json(recipe_json_schema())
