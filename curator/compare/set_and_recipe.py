"""A set against a recipe: whether it was built of it, what has changed since, and what it got of what it asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.adapters.stored_set import read_set
from curator.compare.change import Change, mapping, percent, real
from curator.compare.recipe_words import recipe_changes
from curator.pipeline.source_state import sources_sha256
from curator.recipe.load import find_recipe, load_recipe

# A share may miss what was asked by this much: sets are made of whole pieces.
_NEAR = 0.02


def compare_set_and_recipe(folder: str, recipe: str) -> dict[str, Any]:
    """Compare a set with the recipe that it came from, or another.

    Args:
        folder: of the set.
        recipe: a file or a shipped name.

    Returns:
        ``differences`` (``recipe``: from the one stored in the set to the one given; ``got``: shares that the set
        missed), ``warnings`` and ``verdict``.

    Raises:
        InputError, RecipeError: no set, or no recipe.
    """
    stored, loaded = read_set(folder), load_recipe(find_recipe(recipe))
    manifest = stored.manifest
    differences = recipe_changes(manifest.get("recipe"), loaded.recipe.model_dump(mode="json"))
    same = manifest.get("recipe_hash") == loaded.sha256
    sources = manifest.get("sources_hash") == sources_sha256(loaded)
    return {
        "differences": {"recipe": differences, "asked and got": _missed(manifest)},
        "warnings": [str(line) for line in told] if isinstance(told := manifest.get("warnings"), list) else [],
        "verdict": _verdict(same=same, sources=sources, told=bool(differences)),
    }


def _verdict(*, same: bool, sources: bool, told: bool) -> str:
    if same and sources:
        return "the set was built of this recipe as it is now"
    if same:
        return "the set was built of this recipe, but the files that it reads have changed since"
    if told:
        return "the set was not built of this recipe as it is now; if it should be, build it again"
    return "the set was built of a recipe with these values, but of files (template, evaluation) that differ"


def _missed(manifest: Mapping[str, Any]) -> list[Change]:
    asked, got = mapping(manifest.get("asked")), mapping(manifest.get("shares"))
    found = []
    for task in dict.fromkeys([*asked, *got]):
        wanted, had = real(asked.get(task, 0.0)), real(got.get(task, 0.0))
        if wanted is not None and had is not None and abs(wanted - had) > _NEAR:
            words = f"task {task}: asked {percent(wanted)}, got {percent(had)}"
            found.append(Change(("shares", str(task)), wanted, had, words))
    return found
