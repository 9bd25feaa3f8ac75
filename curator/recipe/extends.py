"""``extends``: the files that a recipe is made of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError, RecipeError, did_you_mean
from curator._shipped_files import shipped
from curator.recipe.positions import Parsed, load_yaml

_SUFFIXES = {".yaml", ".yml"}


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One recipe file.

    Attributes:
        path: the file.
        parsed: what is in it.
    """

    path: Path
    parsed: Parsed

    @property
    def values(self) -> dict[str, Any]:
        """Its keys."""
        values: dict[str, Any] = self.parsed.values
        return values

    @property
    def name(self) -> str:
        """What people call it: its name, else its file."""
        name = self.values.get("name")
        return name if isinstance(name, str) else self.path.name

    def fault(self, what: str) -> RecipeError:
        """An error at its ``extends``."""
        return RecipeError([f"{self.path}:{self.parsed.line_of(('extends',))}: {what}"])


def shipped_recipes() -> list[Path]:
    """Files of the recipes that ship, by name."""
    return sorted(shipped("recipes").glob("*.yaml"))


def read_layers(path: Path) -> list[Layer]:
    """The recipe file, the one that it extends, and so on.

    Raises:
        InputError: the file cannot be read.
        RecipeError: one is no YAML or no mapping; ``extends`` names nothing that exists, or goes in a circle.
    """
    layers = [_read(path)]
    seen = [path.resolve()]
    while "extends" in layers[-1].values:
        last = layers[-1]
        base = _base(last)
        if base.resolve() in seen:
            names = ", ".join(str(layer.path) for layer in layers)
            raise last.fault(f"extends goes in a circle ({names}, {base}); remove one of them")
        try:
            layers.append(_read(base))
        except RecipeError:
            raise
        except InputError as error:
            raise last.fault(f"extends: {error}") from error
        seen.append(base.resolve())
    return layers


def _read(path: Path) -> Layer:
    layer = Layer(path, load_yaml(path))
    if not isinstance(layer.parsed.values, dict):
        raise RecipeError([f"{path}:1: a recipe is a mapping of keys; see `curate ls` for examples"])
    return layer


def _base(layer: Layer) -> Path:
    given = layer.values["extends"]
    if not isinstance(given, str) or not given:
        raise layer.fault("extends must be one recipe: a file, or the name of one that ships")
    beside = layer.path.parent / os.path.expanduser(given)
    if beside.suffix in _SUFFIXES:
        if not beside.is_file():
            raise layer.fault(f"extends: no such file {beside}; a path starts from the folder of this file")
        return beside
    names = {file.stem: file for file in shipped_recipes()}
    if given in names:
        return names[given]
    files = [
        f"{given}{suffix}" for suffix in sorted(_SUFFIXES) if beside.with_name(beside.name + suffix).is_file()
    ]
    hint = f"did you mean {files[0]}?" if files else did_you_mean(given, names, f"shipped: {', '.join(names)}")
    raise layer.fault(f"extends: no shipped recipe {given!r}; {hint}")
