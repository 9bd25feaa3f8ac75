"""From a recipe file, or the name of a shipped one, to a checked ``Recipe``."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from curator._errors import InputError, RecipeError, did_you_mean
from curator._files import file_sha256, json_sha256
from curator.corpora.rows.detect import format_by_name
from curator.recipe.by_task import by_task_faults
from curator.recipe.empty_bins import empty_bin_faults
from curator.recipe.extends import shipped_recipes
from curator.recipe.faults import Fault, schema_faults
from curator.recipe.notes import recipe_notes
from curator.recipe.positions import Location
from curator.recipe.references import reference_faults
from curator.recipe.resolved import Resolved, SourcePlace
from curator.recipe.schema import Recipe
from curator.recipe.source_kinds import SOURCE_KINDS
from curator.recipe.target import Target, TaskTarget
from curator.recipe.task_check import TaskCheck

__all__ = ["LoadedRecipe", "SourcePlace", "find_recipe", "load_all", "load_recipe", "shipped_recipes"]


@dataclass(frozen=True, slots=True)
class LoadedRecipe:
    """A recipe with where it came from.

    Attributes:
        recipe: the checked values.
        path: its file.
        notes: what was assumed, in words, for the user to look at.
        origin: what was taken from other recipes and from ``--set``, in words.
        places: file and line of each source, for later errors, and the folder its relative paths start from.
        template: the file of the chat template; ``None`` for the model's own.
        evaluation: the evaluation files that leakage is looked for from.
        exempt: files of phrases that are no leakage.
        asked: file and line of each share of the target, for later errors; a location without one has no entry.
    """

    recipe: Recipe
    path: Path
    notes: tuple[str, ...]
    places: tuple[SourcePlace, ...]
    origin: tuple[str, ...] = ()
    template: Path | None = None
    evaluation: tuple[Path, ...] = ()
    exempt: tuple[Path, ...] = ()
    asked: Mapping[Location, SourcePlace] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of what can change the set: the title cannot, the content of files that it names can.

        Raises:
            InputError: such a file cannot be read.
        """
        values = self.recipe.model_dump(mode="json", exclude={"title", "export", "quantize", "trust_remote_code"})
        if self.template is not None:
            values["template_sha256"] = file_sha256(self.template)
        if self.evaluation:
            values["leakage_sha256"] = [file_sha256(path) for path in (*self.evaluation, *self.exempt)]
        return json_sha256(values)


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
        # JSON is YAML.
        if format_by_name(path.name) not in (None, "json"):
            raise InputError(
                f"{path}: a file of texts by its name, no recipe; `curate init` writes a recipe for the texts "
                f"of a folder, `curate sift {path}` judges those of this file"
            )
        return path
    names = {file.stem: file for file in shipped_recipes()}
    if name in names:
        return names[name]
    hint = did_you_mean(name, names, f"shipped: {', '.join(names)}")
    raise InputError(f"recipe {name}: no such file or shipped recipe; {hint}")


def load_recipe(path: Path, overrides: Sequence[str] = (), *, references: bool = False) -> LoadedRecipe:
    """Read and check one recipe.

    Args:
        path: its file.
        overrides: ``--set`` options, each ``a.b=c``.
        references: also look whether the corpora, generators, files, template and embedder that it names exist.

    Raises:
        InputError: the file cannot be read.
        RecipeError: all its faults, each ``file:line: what, fix``.
    """
    resolved = Resolved(path, overrides)
    values = resolved.values
    faults: list[Fault] = _name_faults(resolved)
    recipe: Recipe | None = None
    try:
        recipe = Recipe.model_validate(values)
        faults += empty_bin_faults(recipe)
    except ValidationError as error:
        faults += [fault for fault in schema_faults(values, error) if not (faults and fault[0] == ("name",))]
    folder_of = partial(_folder, resolved)
    tasks = TaskCheck(values, folder_of, resolved.taken_from, cards=references)
    faults += [*tasks.faults(), *by_task_faults(resolved)]
    if references:
        faults += reference_faults(values, folder_of, tasks.left_out)
    if faults or recipe is None:
        raise RecipeError(resolved.problems(faults))
    used = [index for index in range(len(recipe.sources)) if index not in tasks.left_out]
    return LoadedRecipe(
        recipe=recipe.model_copy(update={"sources": [recipe.sources[index] for index in used]}),
        path=path,
        notes=(*recipe_notes(recipe), *tasks.notes()),
        places=tuple(_source_place(resolved, index) for index in used),
        origin=tuple(resolved.origin()),
        template=_template(resolved, recipe),
        evaluation=_leakage_files(resolved, recipe, "against"),
        exempt=_leakage_files(resolved, recipe, "exempt"),
        asked={where: resolved.place(where) for where in _shares(recipe)},
    )


def load_all(
    paths: Sequence[Path], overrides: Sequence[str] = (), *, references: bool = False
) -> list[LoadedRecipe]:
    """Read and check several recipes; ``overrides`` are set in each of them.

    Raises:
        RecipeError: the faults of all of them.
    """
    loaded: list[LoadedRecipe] = []
    problems: list[str] = []
    for path in paths:
        try:
            loaded.append(load_recipe(path, overrides, references=references))
        except RecipeError as error:
            problems += error.problems
    if problems:
        # A wrong --set is as wrong for every recipe.
        raise RecipeError(list(dict.fromkeys(problems)))
    return loaded


def _name_faults(resolved: Resolved) -> list[Fault]:
    """A recipe that extends another is another: reports must tell them apart."""
    name, others = resolved.values.get("name"), [layer.name for layer in resolved.layers[1:]]
    if others and name is None:
        return [(("name",), f"name is missing; a recipe that extends {others[0]} needs its own")]
    if name in others:
        return [(("name",), f"name {name!r} is that of a recipe it extends; give it another")]
    return []


def _folder(resolved: Resolved, location: Location) -> Path:
    """What a relative path at ``location`` starts from."""
    return resolved.place(location).folder


def _source_place(resolved: Resolved, index: int) -> SourcePlace:
    """Where a source stands; its paths start from the folder of whoever wrote them."""
    place = resolved.place(("sources", index))
    key = next(key for key in SOURCE_KINDS if key in resolved.values["sources"][index])
    named = resolved.place(("sources", index, key))
    return dataclasses.replace(place, folder=named.folder, override=named.override)


def _shares(recipe: Recipe) -> Iterator[Location]:
    """The location of every share of the target."""
    target = recipe.target
    listed: list[tuple[Location, Target | TaskTarget]] = [(("target",), target)]
    listed += [(("target", "by_task", task), own) for task, own in target.by_task.items()]
    yield from (("target", "tasks", task) for task in target.tasks)
    for where, one in listed:
        keys: list[Location] = [("languages", name) for name in one.languages or ()]
        keys += [("lengths", at) for at in range(len(one.lengths or ()))]
        yield from (where + key for key in keys)


def _template(resolved: Resolved, recipe: Recipe) -> Path | None:
    if recipe.tokens.template == "model":
        return None
    return resolved.place(("tokens", "template")).folder / recipe.tokens.template


def _leakage_files(resolved: Resolved, recipe: Recipe, key: str) -> tuple[Path, ...]:
    gate = recipe.gates.leakage
    names: list[str] = getattr(gate, key) if gate else []
    where = ("gates", "leakage", key)
    return tuple(
        resolved.place((*where, index)).folder / os.path.expanduser(name) for index, name in enumerate(names)
    )
