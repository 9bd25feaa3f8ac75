"""What two things are, and which comparison is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from curator._errors import InputError
from curator.compare.change import Change
from curator.compare.recipe_words import recipe_changes
from curator.compare.runs import compare_runs
from curator.compare.set_and_recipe import compare_set_and_recipe
from curator.compare.sets import compare_sets
from curator.compare.stored_run import RANKING
from curator.rank.plan import PLAN
from curator.recipe.load import LoadedRecipe, find_recipe, load_recipe

Kind = Literal["recipe", "set", "run"]


def compare_things(first: str, second: str, allow: Sequence[str] = ()) -> dict[str, Any]:
    """Compare two things of one kind, or a set with a recipe.

    Args:
        first: a run folder, a set folder, or a recipe (file or shipped name).
        second: the same kind, or a recipe for a set.
        allow: facts of two runs' servers that may differ.

    Returns:
        ``kind``, ``first``, ``second``, ``verdict``, ``differences`` (by heading, each with ``place``, ``first``,
        ``second`` and ``words``), ``warnings``; of sets also ``composition``, ``overlap`` and ``embedding``, of
        runs ``pairs``.

    Raises:
        InputError: they are of two kinds, of none, or damaged.
        RecipeError: faults of a recipe.
        RefusedError: runs that were not measured alike.
    """
    kinds = (_kind(first), _kind(second))
    if allow and kinds != ("run", "run"):
        raise InputError(f"--allow {allow[0]}: is about the servers of two runs; leave it out")
    try:
        kind, found = _compared(kinds, first, second, allow)
    except RecursionError as error:
        raise InputError(f"{first} or {second}: nested too deeply to be ours; make it again") from error
    told: dict[str, list[Change]] = found["differences"]
    differences = {heading: [one.document() for one in listed] for heading, listed in told.items()}
    return {"kind": kind, "first": first, "second": second, **found, "differences": differences}


def _compared(
    kinds: tuple[Kind, Kind], first: str, second: str, allow: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    if kinds == ("recipe", "recipe"):
        return "recipe", _recipes(first, second)
    if kinds == ("set", "set"):
        return "set", compare_sets(first, second)
    if kinds == ("run", "run"):
        return "run", compare_runs(first, second, allow)
    if set(kinds) == {"set", "recipe"}:
        folder, recipe = (first, second) if kinds[0] == "set" else (second, first)
        return "set and recipe", compare_set_and_recipe(folder, recipe)
    what = f"{first} is a {kinds[0]} and {second} is a {kinds[1]}"
    raise InputError(f"{what}; compare two of the same kind, or a set with a recipe")


def _kind(name: str) -> Kind:
    path = Path(name)
    if (path / RANKING).is_file():
        return "run"
    if (path / "manifest.json").is_file():
        return "set"
    if (path / PLAN).is_file():
        raise InputError(f"{name}: this run has no ranking yet; finish it with the command that began it")
    if path.is_dir():
        raise InputError(f"{name}: neither a finished run ({RANKING}) nor a set (manifest.json)")
    return "recipe"


def _recipes(first: str, second: str) -> dict[str, Any]:
    a, b = (load_recipe(find_recipe(name)) for name in (first, second))
    found = recipe_changes(*(loaded.recipe.model_dump(mode="json") for loaded in (a, b)))
    notes = [f"{loaded.recipe.name}: {note}" for loaded in (a, b) for note in loaded.notes]
    return {"differences": {"recipe": found}, "warnings": notes, "verdict": _verdict(a, b, bool(found))}


def _verdict(a: LoadedRecipe, b: LoadedRecipe, told: bool) -> str:
    if not told:
        same = a.sha256 == b.sha256
        return (
            "the same recipe"
            if same
            else "the same values, but the files that they name (template, evaluation) differ"
        )
    apart = {"name", "seed"}
    one, other = (loaded.recipe.model_copy(update={"name": "x", "seed": 0, "title": ""}) for loaded in (a, b))
    only = [key for key in type(one).model_fields if key not in apart and getattr(one, key) != getattr(other, key)]
    if not only:
        return "the same but for name, title or seed: two draws of one mix"
    if set(only) <= {"export", "quantize", "trust_remote_code"}:
        return "the same set under each seed; they differ in what is done with it"
    return "two different mixes"
