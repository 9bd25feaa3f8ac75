"""The JSON Schema of a recipe file (draft 2020-12, https://json-schema.org/draft/2020-12)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from curator.corpora.generators import GENERATORS
from curator.recipe.key_notes import KEY, docstring, key_notes
from curator.recipe.schema import Recipe

_EXTENDS = {
    "type": "string",
    "minLength": 1,
    "title": "Extends",
    "description": "A recipe that this one starts from: a file, from this one's folder, or the name of one that "
    "ships. Mappings are merged, all else is replaced; null takes an inherited key back.",
}
_EXAMPLE = {
    "name": "mine",
    "seed": 17,
    "size": {"samples": 16, "tokens": 512},
    "target": {"tasks": {"prose": 0.6, "code": 0.4}},
    "sources": [{"corpus": "python-topics", "task": "prose"}, {"corpus": "python-stdlib", "task": "code"}],
    "gates": {"language": {"allow": ["en", "und"]}},
}
_HEIR = {"name": "mine-longer", "extends": "coherent-mix", "size": {"tokens": 1024}}


def recipe_json_schema() -> dict[str, Any]:
    """What a recipe file may hold, with descriptions, for editors.

    A file that extends another may leave out what that one gives, and may take keys back with ``null``.
    """
    made = Recipe.model_json_schema()
    definitions = made.pop("$defs")
    _describe(made, Recipe)
    for model in _models(Recipe):
        if model.__name__ in definitions:
            _describe(definitions[model.__name__], model)
    definitions["GenerateSource"]["properties"]["generate"]["examples"] = list(GENERATORS)
    properties = made["properties"]
    properties = {"name": properties.pop("name"), "extends": _EXTENDS, **properties}
    needed = [key for key in made["required"] if key != "name"]
    size, tasks = definitions["Size"], definitions["Target"]["properties"]["tasks"]
    whole = size.pop("oneOf")
    # Only an heir may give half a size, or take back what it inherits.
    tasks["additionalProperties"] = _or_null(tasks["additionalProperties"])
    for taken in (properties, definitions["Gates"]["properties"], definitions["Target"]["properties"]):
        taken |= {key: _or_null(value) for key, value in taken.items() if "default" in value}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Curate recipe",
        "description": made["description"],
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": ["name"],
        "if": {"required": ["extends"]},
        "else": {"required": needed, "properties": {"size": {"oneOf": whole}}},
        "examples": [_EXAMPLE, _HEIR],
        "$defs": definitions,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    outside = {key: value for key, value in schema.items() if key in {"title", "description", "default"}}
    inside = {key: value for key, value in schema.items() if key not in outside}
    kinds = inside["anyOf"] if set(inside) == {"anyOf"} else [inside]
    return {"anyOf": [*(kind for kind in kinds if kind != {"type": "null"}), {"type": "null"}], **outside}


def _describe(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Descriptions from docstrings; the keys' explanations go to the keys."""
    schema["description"] = " ".join(KEY.sub("", docstring(model)).replace("``", "").split())
    notes = key_notes(model)
    for key, value in schema.get("properties", {}).items():
        if key in notes:
            value["description"] = notes[key]


def _models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Every model that a model is made of."""
    found: dict[type[BaseModel], None] = {}

    def visit(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in found:
            found[annotation] = None
            for field in annotation.model_fields.values():
                visit(field.annotation)
        for part in getattr(annotation, "__args__", ()):
            visit(part)

    visit(model)
    return list(found)
