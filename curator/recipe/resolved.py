"""A recipe's values after ``extends`` and ``--set``, and where each of them was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import RecipeError
from curator.recipe.extends import Layer, read_layers
from curator.recipe.overrides import NoSuchPlace, Override, apply_override, parse_overrides
from curator.recipe.positions import Location

# What a recipe is called says what is in it, and its heirs hold something else.
_OWN = {"name", "title", "extends"}


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a value was written.

    Attributes:
        file: the recipe file; of an override, the recipe that it was given for.
        line: from 1.
        folder: what relative paths in the value start from.
        override: the ``--set``, as typed; empty for a value of a file.
    """

    file: Path
    line: int
    folder: Path
    override: str = ""

    def __str__(self) -> str:
        return self.override or f"{self.file}:{self.line}"


class Resolved:
    """The values of a recipe file, over those that it extends, under those of the command line.

    Mappings are merged key by key, all else is replaced; ``null`` takes an inherited key back. The two ways
    to give a size replace each other.

    Args:
        path: the recipe file.
        overrides: ``--set`` options, later ones over earlier ones.

    Raises:
        InputError: a file cannot be read.
        RecipeError: files that are no YAML or no mapping, ``extends`` or ``--set`` that lead nowhere.
    """

    def __init__(self, path: Path, overrides: Sequence[str] = ()) -> None:
        self.values: dict[str, Any] = {}
        self.layers = read_layers(path)
        self.overrides = parse_overrides(overrides)
        self._owners: dict[Location, Layer | Override] = {}
        self._taken: dict[str, Layer | Override] = {}
        for layer in reversed(self.layers):
            own = layer is self.layers[0]
            given = {
                key: value for key, value in layer.values.items() if key != "extends" and (own or key not in _OWN)
            }
            before = self._tasks()
            self._lay(self.values, given, (), layer)
            self._note_taken(before, layer)
        self._set()

    def place(self, location: Location) -> SourcePlace:
        """Where ``location``, or the deepest part of it that was written, stands."""
        owner = self._owner(location)
        if isinstance(owner, Override):
            line = self.layers[0].parsed.line_of(location)
            return SourcePlace(self.layers[0].path, line, Path(), str(owner))
        return SourcePlace(owner.path, owner.parsed.line_of(location), owner.path.parent)

    def problems(self, faults: Sequence[tuple[Location, str]]) -> list[str]:
        """Faults as lines, in the order of the file, of those that it extends, and of the command line."""
        order: list[Layer | Override] = [*self.layers, *self.overrides]
        placed = []
        for location, what in faults:
            place = self.place(location)
            rank = next(number for number, one in enumerate(order) if one is self._owner(location))
            placed.append((rank, place.line, what, f"{place}: {what}"))
        return [line for _, _, _, line in sorted(placed)]

    def taken_from(self, location: Location) -> dict[str, str]:
        """Tasks whose share was taken away after ``location`` was written, and by what, in words."""
        steps: list[Layer | Override] = [*reversed(self.layers), *self.overrides]
        rank = {id(step): number for number, step in enumerate(steps)}
        written = rank[id(self._owner(location))]
        return {
            task: by.name if isinstance(by, Layer) else str(by)
            for task, by in self._taken.items()
            if rank[id(by)] > written
        }

    def origin(self) -> list[str]:
        """What was taken from other recipes and from the command line, in words."""
        words = []
        if len(self.layers) > 1:
            keys = [key for key in self.values if key not in _OWN]
            taken = [key for key in keys if self._owner((key,)) in self.layers[1:]]
            changed = [key for key in keys if key not in taken and self._is_mixed(key)]
            chain = ", which extends ".join(layer.name for layer in self.layers[1:])
            parts = [f"{verb} {', '.join(own)}" for verb, own in (("takes", taken), ("changes", changed)) if own]
            words.append(f"extends {chain}: {'; '.join(parts) or 'takes nothing'}")
        return [*words, *map(str, self.overrides)]

    def _set(self) -> None:
        problems = []
        for override in self.overrides:
            try:
                before = self._tasks()
                location, value = apply_override(self.values, override)
                self._claim(location, value, override)
                self._note_taken(before, override)
            except NoSuchPlace as error:
                problems.append(f"{override}: {error}")
        if problems:
            raise RecipeError(problems)

    def _tasks(self) -> list[str]:
        target = self.values.get("target")
        tasks = target.get("tasks") if isinstance(target, dict) else None
        return list(tasks) if isinstance(tasks, dict) else []

    def _note_taken(self, before: Sequence[str], owner: Layer | Override) -> None:
        now = self._tasks()
        kept = {task: by for task, by in self._taken.items() if task not in now}
        self._taken = kept | {task: owner for task in before if task not in now}

    def _lay(self, under: dict[str, Any], values: dict[str, Any], at: Location, layer: Layer) -> None:
        for key, value in values.items():
            where = (*at, key)
            old = under.get(key)
            if value is None and key in under:
                del under[key]
                # A fault of the gap is a fault of whoever made it.
                self._claim(where, None, layer)
            elif isinstance(value, dict) and isinstance(old, dict) and not _is_other_size(where, old, value):
                self._owners[where] = layer
                self._lay(old, value, where, layer)
            else:
                under[key] = value
                self._claim(where, value, layer)

    def _claim(self, where: Location, value: Any, owner: Layer | Override) -> None:
        for known in [known for known in self._owners if known[: len(where)] == where]:
            del self._owners[known]
        self._own(where, value, owner)

    def _own(self, where: Location, value: Any, owner: Layer | Override) -> None:
        self._owners[where] = owner
        for key, item in value.items() if isinstance(value, dict) else ():
            self._own((*where, key), item, owner)

    def _owner(self, location: Location) -> Layer | Override:
        ends = range(len(location), 0, -1)
        return next(
            (self._owners[location[:end]] for end in ends if location[:end] in self._owners), self.layers[0]
        )

    def _is_mixed(self, key: str) -> bool:
        return any(owner in self.layers[1:] for where, owner in self._owners.items() if where[0] == key)


def _is_other_size(where: Location, old: dict[str, Any], new: dict[str, Any]) -> bool:
    return where == ("size",) and ("mix" in old) != ("mix" in new)
