"""How a set is quantised: its recipe's ``quantize:``, changed on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from curator._errors import RecipeError
from curator.corpora.reading import Strict
from curator.recipe.faults import schema_faults
from curator.recipe.overrides import NoSuchPlace, Override, apply_override, parse_overrides
from curator.recipe.positions import Location
from curator.recipe.quantize_settings import QuantizeSettings

_KEY = "quantize"


class _Part(Strict):
    """A recipe's one key that is read here."""

    quantize: QuantizeSettings = QuantizeSettings()


def quantize_settings(recipe: Mapping[str, Any], place: str, overrides: Sequence[str]) -> QuantizeSettings:
    """What a recipe and the command line ask for.

    ``trust_remote_code`` is not read: a set's manifest may be a stranger's.

    Args:
        recipe: a recipe's values, such as those in a set's manifest.
        place: where they stand, for errors.
        overrides: ``--set`` options, later ones over earlier ones.

    Raises:
        RecipeError: all faults, each with its place.
    """
    values: dict[str, Any] = {_KEY: recipe[_KEY]} if recipe.get(_KEY) is not None else {}
    asked = parse_overrides(overrides)
    problems = [
        f"{override}: the set is built; only quantize.* can be changed here"
        for override in asked
        if override.steps[0] != _KEY
    ]
    owners: dict[Location, Override] = {}
    for override in [] if problems else asked:
        try:
            location, _ = apply_override(values, override)
        except NoSuchPlace as error:
            problems.append(f"{override}: {error}")
        else:
            owners[location] = override
    if problems:
        raise RecipeError(problems)
    try:
        return _Part.model_validate(values).quantize
    except ValidationError as error:
        faults = schema_faults(values, error)
        raise RecipeError([f"{_owner(where, owners, place)}: {what}" for where, what in faults]) from error


def _owner(where: Location, owners: Mapping[Location, Override], place: str) -> str:
    """Who gave a value: the deepest override around it, else the last one inside it, else the recipe."""
    around = [location for location in owners if where[: len(location)] == location]
    inside = [location for location in owners if location[: len(where)] == where]
    if around or inside:
        return str(owners[max(around, key=len) if around else inside[-1]])
    return place
