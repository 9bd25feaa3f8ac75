"""From a recipe file, or the name of a shipped one, to a checked ``Recipe``."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from curator._errors import InputError, RecipeError
from curator._files import json_sha256
from curator._shipped_files import shipped
from curator.recipe.faults import Fault, schema_faults, task_faults
from curator.recipe.positions import line_of, load_yaml
from curator.recipe.schema import Recipe


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a source stands: the recipe file (its own, or one that it extends) and the line."""

    file: Path
    line: int

    @property
    def folder(self) -> Path:
        """What relative paths of the source start from."""
        return self.file.parent

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class LoadedRecipe:
    """A recipe with where it came from.

    Attributes:
        recipe: the checked values.
        path: its file.
        notes: what was changed or assumed, in words.
        places: file and line of each source, for later errors and for relative paths.
    """

    recipe: Recipe
    path: Path
    notes: tuple[str, ...]
    places: tuple[SourcePlace, ...]

    @property
    def sha256(self) -> str:
        """Hash of what can change the set; the title cannot."""
        return json_sha256(self.recipe.model_dump(mode="json", exclude={"title", "export"}))


def find_recipe(name: str) -> Path:
    """The file of a recipe: a path, or the name of one that ships.

    Raises:
        InputError: neither; names the nearest shipped one.
    """
    path = Path(name)
    if path.suffix in {".yaml", ".yml"} or path.is_file():
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name the recipe file in it")
        if not path.is_file():
            raise InputError(f"{path}: no such file; `curate ls` shows the recipes that ship")
        return path
    names = {file.stem: file for file in shipped_recipes()}
    if name in names:
        return names[name]
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"shipped: {', '.join(names)}"
    raise InputError(f"recipe {name}: no such file or shipped recipe; {hint}")


def shipped_recipes() -> list[Path]:
    """Files of the recipes that ship, by name."""
    return sorted(shipped("recipes").glob("*.yaml"))


def load_recipe(path: Path) -> LoadedRecipe:
    """Read and check one recipe.

    Raises:
        InputError: the file cannot be read.
        RecipeError: all its faults, each ``file:line: what, fix``.
    """
    values, tree = load_yaml(path)
    if not isinstance(values, dict):
        raise RecipeError([f"{path}:1: a recipe is a mapping of keys; see `curate ls` for examples"])
    faults: list[Fault] = []
    recipe: Recipe | None = None
    try:
        recipe = Recipe.model_validate(values)
    except ValidationError as error:
        faults = schema_faults(values, error)
    faults += task_faults(values)
    if faults or recipe is None:
        found = sorted((line_of(tree, where), what) for where, what in faults)
        raise RecipeError([f"{path}:{line}: {what}" for line, what in found])
    places = tuple(SourcePlace(path, line_of(tree, ("sources", index))) for index in range(len(recipe.sources)))
    return LoadedRecipe(recipe, path, tuple(_notes(recipe)), places)


def load_all(paths: Sequence[Path]) -> list[LoadedRecipe]:
    """Read and check several recipes.

    Raises:
        RecipeError: the faults of all of them.
    """
    loaded: list[LoadedRecipe] = []
    problems: list[str] = []
    for path in paths:
        try:
            loaded.append(load_recipe(path))
        except RecipeError as error:
            problems += error.problems
    if problems:
        raise RecipeError(problems)
    return loaded


def _notes(recipe: Recipe) -> list[str]:
    total = sum(recipe.target.tasks.values())
    if abs(total - 1) <= 1e-6:
        return []
    shares = ", ".join(f"{task} {share:.3f}" for task, share in recipe.target.shares().items())
    return [f"target.tasks sum to {total:g}, not 1: normalised to {shares}"]
