"""A recipe written out with all its values, as YAML that loads to the same recipe."""

from __future__ import annotations

import io
import re
from typing import Any

from pydantic import BaseModel
from ruamel.yaml import YAML
from ruamel.yaml.representer import SafeRepresenter

from curator.recipe.load import LoadedRecipe

_WIDTH = 100
# What readers of YAML 1.1 take for true and false.
_OLD_BOOLEANS = {"y", "n", "yes", "no", "on", "off"}


# The writer leaves words bare that the reader takes apart, such as ?x within braces.
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./ -]*(?<! )")


class _Representer(SafeRepresenter):
    """Puts in quotes what other programs could misread."""

    def represent_str(self, data: str) -> Any:
        style = None if _PLAIN.fullmatch(data) and data.lower() not in _OLD_BOOLEANS else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Representer.add_representer(str, _Representer.represent_str)


def recipe_values(recipe: BaseModel) -> dict[str, Any]:
    """Every value of a recipe, defaults too, as plain types; keys that say nothing are left out."""
    values = {key: getattr(recipe, key) for key in type(recipe).model_fields}
    return {key: _plain(value) for key, value in values.items() if value is not None}


def to_yaml(loaded: LoadedRecipe, *, header: bool = True) -> str:
    """The resolved recipe as YAML, under comments that say where it is from."""
    comments = _header(loaded) if header else []
    return "".join(f"# {line}\n" for line in comments) + yaml_of(recipe_values(loaded.recipe))


def yaml_of(values: dict[str, Any]) -> str:
    """A recipe, or a part of one, as YAML that every reader takes alike."""
    text = io.StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.Representer = _Representer
    # Mappings and lists without others inside are written on one line, as people write them.
    writer.default_flow_style = None
    writer.width = _WIDTH
    writer.allow_unicode = True
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.dump(values, text)
    return text.getvalue()


def _header(loaded: LoadedRecipe) -> list[str]:
    folders = list(dict.fromkeys(str(place.folder) for place in loaded.places))
    lines = [
        f"{loaded.recipe.name}, from {loaded.path}",
        *loaded.origin,
        *(f"note: {note}" for note in loaded.notes),
    ]
    lines += [f"relative paths start from {', '.join(folders)}", f"recipe hash {loaded.sha256}"]
    # A line end in a path or an option would end the comment.
    return [" ".join(line.split()) for line in lines]


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return recipe_values(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
