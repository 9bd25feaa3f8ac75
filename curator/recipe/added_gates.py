"""Gates that installed packages add: each one file, named by an entry point of the group ``curate.gates``.

Only packages that somebody installed are asked: a recipe can name such a gate, and never bring one.
"""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from curator._errors import DependencyError, first_line
from curator.corpora.reading import Strict

GROUP = "curate.gates"


@dataclass(frozen=True, slots=True)
class AddedGate:
    """A measure of a text, and a limit on what was measured.

    Attributes:
        settings: what a recipe says of it; its docstring explains the keys, as those of gate_settings.py do.
        score: the name that its measure is stored under.
        measure: a number of a text, the same whenever it is asked.
        limit: where the line lies, by the settings.
        refused: the side on which texts are refused; the line itself is on it.
    """

    settings: type[Strict]
    score: str
    measure: Callable[[str], float]
    limit: Callable[[Any], float]
    refused: Literal["above", "below"] = "above"


@functools.cache
def added_gates() -> dict[str, AddedGate]:
    """All of them by name, in the order of their names.

    Raises:
        DependencyError: one cannot be loaded, or is none.
    """
    found: dict[str, AddedGate] = {}
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        package = entry.dist.name if entry.dist else entry.value
        try:
            gate = entry.load()
        # Whatever the package's own code raises.
        except Exception as error:
            raise DependencyError(
                f"gate {entry.name} of the package {package} cannot be loaded ({first_line(error)}); remove it"
            ) from error
        if not isinstance(gate, AddedGate) or entry.name in found:
            what = "is there twice" if entry.name in found else "is no AddedGate"
            raise DependencyError(f"gate {entry.name} of the package {package} {what}; mend or remove it")
        found[entry.name] = gate
    return found


def take_in(model: type[Strict]) -> None:
    """Give the model of a recipe's gates a key for each added one, off unless a recipe says otherwise.

    Raises:
        DependencyError: one has the name of a gate that is there already.
    """
    added = added_gates()
    for name, gate in added.items():
        if name in model.model_fields:
            raise DependencyError(f"gate {name} of an installed package: the name is taken; rename it")
        kind: Any = gate.settings | Literal[False]
        model.__annotations__[name] = kind
        model.model_fields[name] = FieldInfo.from_annotated_attribute(kind, False)
    if added:
        model.model_rebuild(force=True)
