"""From a recipe file, or the name of a shipped one, to a checked ``Recipe``."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from curator._errors import InputError, RecipeError
from curator._files import json_sha256
from curator._shipped_files import shipped
from curator.recipe.positions import Location, line_of, load_yaml
from curator.recipe.schema import CorpusSource, GenerateSource, JsonlSource, Recipe

_KINDS = {"<corpus>": CorpusSource, "<jsonl>": JsonlSource, "<generate>": GenerateSource}


@dataclass(frozen=True, slots=True)
class LoadedRecipe:
    """A recipe with where it came from.

    Attributes:
        recipe: the checked values.
        path: its file.
        notes: what was changed or assumed, in words.
        lines: line of each source in the file, for later errors.
    """

    recipe: Recipe
    path: Path
    notes: tuple[str, ...]
    lines: tuple[int, ...]

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
    try:
        recipe = Recipe.model_validate(values)
    except ValidationError as error:
        raise RecipeError(_problems(path, tree, error)) from error
    problems = [f"{path}:{line_of(tree, where)}: {what}" for where, what in _cross_checks(recipe)]
    if problems:
        raise RecipeError(problems)
    lines = tuple(line_of(tree, ("sources", index)) for index in range(len(recipe.sources)))
    return LoadedRecipe(recipe, path, tuple(_notes(recipe)), lines)


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


def _cross_checks(recipe: Recipe) -> list[tuple[Location, str]]:
    """Faults that no single field shows. Sources without a task are checked once their card is known."""
    found: list[tuple[Location, str]] = []
    for index, source in enumerate(recipe.sources):
        if source.task is not None and source.task not in recipe.target.tasks:
            near = difflib.get_close_matches(source.task, recipe.target.tasks, 1)
            hint = f"did you mean {near[0]}?" if near else f"tasks: {', '.join(recipe.target.tasks)}"
            found.append((("sources", index, "task"), f"task {source.task!r} is not in target.tasks; {hint}"))
    return found


def _problems(path: Path, tree: Any, error: ValidationError) -> list[str]:
    found = []
    for fault in error.errors():
        location = fault["loc"]
        where = line_of(tree, location)
        name = ".".join(str(step) for step in location if step not in _KINDS)
        found.append((where, f"{path}:{where}: {_words(name, location, dict(fault))}"))
    # A union reports a fault once for each of its members.
    return list(dict.fromkeys(text for _, text in sorted(found)))


def _words(name: str, location: Location, fault: dict[str, Any]) -> str:
    kind = fault["type"]
    if kind == "extra_forbidden":
        fields = _fields_at(location[:-1])
        near = difflib.get_close_matches(str(location[-1]), fields, 1)
        hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(fields)}"
        return f"unknown key {name}; {hint}"
    if kind == "missing":
        return f"{name} is missing; add it"
    message = fault["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    if kind in {"value_error", "source_kind"}:
        return f"{name}: {message}" if kind == "source_kind" else message
    return f"{name}: {message}, not {fault['input']!r}"


def _fields_at(location: Location) -> list[str]:
    model: type[BaseModel] | None = Recipe
    for step in location:
        if step in _KINDS:
            model = typing.cast(type[BaseModel], _KINDS[str(step)])
        elif isinstance(step, str) and model is not None and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation)
    return list(model.model_fields) if model is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(
        (found for part in typing.get_args(annotation) if (found := _model_in(part)) is not None), None
    )
