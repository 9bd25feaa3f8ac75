"""Faults of a recipe in plain words, each with its place."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from curator._errors import did_you_mean, in_short
from curator.recipe.positions import Location
from curator.recipe.schema import Recipe
from curator.recipe.source_kinds import KINDS_BY_TAG, SOURCE_KINDS, kind_problem

Fault = tuple[Location, str]

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
    name = in_short(".".join(map(str, where)))
    # What is wrong inside a right kind says more than that another kind would do too.
    fault = next((fault for fault in group if not _is_alternative(fault)), group[0])
    kind, location = fault["type"], fault["loc"]
    if kind == "extra_forbidden":
        return _unknown_key(name, location, fault["input"])
    if kind == "missing":
        return f"{name} is missing; add it"
    if kind == "source_kind":
        return f"{name}: {kind_problem(fault['input'])}"
    if kind == "invalid_key" or (location[-1:] == ("[key]",) and kind != "value_error"):
        return f"{name}: a key must be a word; put it in quotes (and write numbers without commas)"
    if all(_is_alternative(fault) for fault in group):
        wanted = " or ".join(dict.fromkeys(_wanted(fault) for fault in group))
        return f"{name} must be {wanted}, not {_shown(fault['input'])}{_whole(group)}"
    if kind in _LIMITS:
        return f"{name} {_limit(fault)}"
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{name}: {message}" if kind == "value_error" else f"{name} {message}, not {_shown(fault['input'])}"


def _unknown_key(name: str, location: Location, value: Any) -> str:
    key, kind = str(location[-1]), next((KINDS_BY_TAG[step] for step in location if step in KINDS_BY_TAG), None)
    own = next((word for word, model in SOURCE_KINDS.items() if model is kind), "")
    if key in SOURCE_KINDS and own:
        return f"{name}: a source has {own} or {key}, not both; make two sources of it"
    renamed = _RENAMED.get((own, key)) or (_at_top(key, value) if len(location) > 1 else "")
    return f"unknown key {name}; {renamed or _hint(key, _fields_at(location[:-1]), 'allowed')}"


def _at_top(key: str, value: Any) -> str:
    """A word on a group of settings that stands at the top of a recipe, and was written inside of another."""
    if key not in Recipe.model_fields or _model_in(Recipe.model_fields[key].annotation) is None:
        return ""
    inner = next(iter(value), "") if isinstance(value, dict) and len(value) == 1 else ""
    return f"{key} stands at the top of a recipe: write {f'{key}.{inner}' if inner else key}"


# Keys of earlier versions.
_RENAMED = {("files", "text"): "write columns: {text: NAME}", ("files", "jsonl"): "jsonl is now files"}
_LIMITS = {
    "greater_than_equal": ("ge", "must be {} or more"),
    "greater_than": ("gt", "must be more than {}"),
    "less_than_equal": ("le", "must be {} or less"),
    "less_than": ("lt", "must be less than {}"),
    "finite_number": ("", "must be a finite number"),
    "string_too_long": ("max_length", "may have {} characters at most"),
    "string_pattern_mismatch": (
        "",
        "must begin with a letter or digit and have only these, dots, dashes and underscores",
    ),
    "too_short": ("", "is empty; give at least one"),
    "string_too_short": ("", "is empty; give at least one character"),
}


def _limit(fault: dict[str, Any]) -> str:
    key, words = _LIMITS[fault["type"]]
    if "is empty" in words:
        return words
    limit = fault.get("ctx", {}).get(key, "")
    given = len(fault["input"]) if key == "max_length" else _shown(fault["input"])
    shown = limit if isinstance(limit, str) else f"{limit:,}".removesuffix(".0")
    return f"{words.format(shown)}, not {given}"


def _wanted(fault: dict[str, Any]) -> str:
    if fault["type"] == "literal_error":
        return str(fault["ctx"]["expected"]).replace("'", "").replace("False", "false")
    return _WANTED[fault["type"]]


def _whole(group: list[dict[str, Any]]) -> str:
    """A word more where 1e3 stands for a whole number: YAML takes it for one with a fraction."""
    value = group[0]["input"]
    if group[0]["type"] == "int_type" and isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return f"; write {int(value)}"
    return ""


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
    return did_you_mean(given, names, f"{heading}: {', '.join(names)}")


def _fields_at(location: Location) -> list[str]:
    model: type[BaseModel] | None = Recipe
    for step in location:
        if step in KINDS_BY_TAG:
            model = KINDS_BY_TAG[step]
        elif isinstance(step, str) and model is not None and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation)
    return list(model.model_fields) if model is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in typing.get_args(annotation) if (found := _model_in(part)) is not None), None)
