"""Gates that installed packages add: each one file, named by an entry point of the group ``curate.gates``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from curator.corpora.reading import Strict
from curator.recipe.installed import added, check_takes

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

    def __post_init__(self) -> None:
        """Refuse what could only fail later, or measure something else."""
        if not (isinstance(self.settings, type) and issubclass(self.settings, Strict)):
            raise TypeError("settings is no model of options (a subclass of Strict)")
        if not (isinstance(self.score, str) and self.score):
            raise TypeError("score is no name")
        if self.refused not in ("above", "below"):
            raise TypeError(f"refused is {self.refused!r}, instead of above or below")
        check_takes(self.measure, 1, "measure")
        check_takes(self.limit, 1, "limit")


@functools.cache
def added_gates() -> dict[str, AddedGate]:
    """All of them by name, in the order of their names.

    Raises:
        DependencyError: one cannot be loaded, or is none.
    """
    return {name: one.thing for name, one in added(GROUP, AddedGate).items()}


def take_in(model: type[Strict]) -> None:
    """Give the model of a recipe's gates a key for each added one, off unless a recipe says otherwise.

    Raises:
        DependencyError: one has the name of a gate that is there already.
    """
    # Beside the gates that are there: what the model itself has by that name, such as `copy`.
    gates = added(GROUP, AddedGate, tuple(dir(model)) + tuple(model.model_fields))
    for name, gate in gates.items():
        kind: Any = gate.thing.settings | Literal[False]
        model.__annotations__[name] = kind
        model.model_fields[name] = FieldInfo.from_annotated_attribute(kind, False)
    if gates:
        model.model_rebuild(force=True)
