"""Faults of a recipe in plain words, each with its place."""

from __future__ import annotations

import difflib
import json
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from curator.recipe.positions import Location
from curator.recipe.schema import Recipe
from curator.recipe.source_kinds import SOURCE_KINDS

Fault = tuple[Location, str]

_KINDS: dict[str | int, type[BaseModel]] = {f"<{name}>": kind for name, kind in SOURCE_KINDS.items()}
_BITS = 128
# pydantic's words for types are Python's; a recipe's reader knows YAML's.
_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping of keys",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
}


def schema_faults(values: Any, error: ValidationError) -> list[Fault]:
    """What the schema refuses, one fault a place.

    Args:
        values: what was validated.
        error: what pydantic found.
    """
    faults: dict[Location, list[dict[str, Any]]] = {}
    for fault in error.errors(include_url=False):
        where = _place(values, fault["loc"], fault["type"])
        faults.setdefault(where, []).append(dict(fault))
    found = []
    for where, group in faults.items():
        inside = any(other[: len(where)] == where and len(other) > len(where) for other in faults)
        # A union reports one fault for each member; what is wrong inside the right member says more.
        if inside and all(_is_alternative(fault) for fault in group):
            continue
        found.append((where, _words(where, group)))
    return found


def task_faults(values: Any) -> list[Fault]:
    """Sources whose task has no share. Sources without a task are checked once their card is known."""
    target = values.get("target")
    tasks = target.get("tasks") if isinstance(target, dict) else None
    sources = values.get("sources")
    if not isinstance(tasks, dict) or not tasks or not isinstance(sources, list):
        return []
    names = [task for task in tasks if isinstance(task, str) and task]
    found: list[Fault] = []
    if not names:
        return found
    for index, source in enumerate(sources):
        task = source.get("task") if isinstance(source, dict) else None
        if isinstance(task, str) and task and task not in tasks:
            hint = _hint(task, names, "tasks")
            found.append((("sources", index, "task"), f"task {task!r} is not in target.tasks; {hint}"))
    return found


def _place(values: Any, location: Location, kind: str) -> Location:
    """The location without pydantic's own steps (names of union members), which the file does not have."""
    place: list[str | int] = []
    for number, step in enumerate(location):
        held = (isinstance(values, dict) and step in values) or (
            isinstance(values, list) and isinstance(step, int)
        )
        if held:
            values = values[step]
        if held or (kind == "missing" and number == len(location) - 1):
            place.append(step)
    return tuple(place)


def _is_alternative(fault: dict[str, Any]) -> bool:
    return fault["type"] == "literal_error" or fault["type"] in _WANTED


def _words(where: Location, group: list[dict[str, Any]]) -> str:
    name, fault = ".".join(map(str, where)), group[0]
    kind, location = fault["type"], fault["loc"]
    if kind == "extra_forbidden":
        return f"unknown key {name}; {_hint(str(location[-1]), _fields_at(location[:-1]), 'allowed')}"
    if kind == "missing":
        return f"{name} is missing; add it"
    if location[-1:] == ("[key]",) or kind == "invalid_key":
        return f"{name}: a key must be a word; put it in quotes (and write numbers without commas)"
    if all(_is_alternative(fault) for fault in group):
        wanted = " or ".join(dict.fromkeys(_wanted(fault) for fault in group))
        return f"{name} must be {wanted}, not {_shown(fault['input'])}"
    if kind == "string_pattern_mismatch":
        return f"{name} may have letters, digits, dots, dashes and underscores only, not {_shown(fault['input'])}"
    if kind == "string_too_long":
        return f"{name} may have {fault['ctx']['max_length']} characters at most, not {len(fault['input'])}"
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if kind in {"value_error", "source_kind", "too_short", "string_too_short"}:
        return f"{name}: {_EMPTY.get(kind, message)}"
    return f"{name} {message}, not {_shown(fault['input'])}"


_EMPTY = {"too_short": "empty; give at least one", "string_too_short": "empty; give at least one character"}


def _wanted(fault: dict[str, Any]) -> str:
    if fault["type"] == "literal_error":
        return str(fault["ctx"]["expected"]).replace("'", "").replace("False", "false")
    return _WANTED[fault["type"]]


def _shown(value: Any) -> str:
    """A value as the file has it, cut to a few words."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    if isinstance(value, int) and value.bit_length() > _BITS:
        # Python refuses to write a number of thousands of digits out.
        return "a far larger number" if value > 0 else "a far smaller number"
    return json.dumps(value)[:40]


def _hint(given: str, names: Iterable[str], heading: str) -> str:
    near = difflib.get_close_matches(given, list(names), 1)
    return f"did you mean {near[0]}?" if near else f"{heading}: {', '.join(names)}"


def _fields_at(location: Location) -> list[str]:
    model: type[BaseModel] | None = Recipe
    for step in location:
        if step in _KINDS:
            model = _KINDS[step]
        elif isinstance(step, str) and model is not None and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation)
    return list(model.model_fields) if model is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in typing.get_args(annotation) if (found := _model_in(part)) is not None), None)
