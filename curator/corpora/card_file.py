"""From a YAML file to a corpus card, with all its faults at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from curator._errors import InputError, RecipeError, did_you_mean
from curator.corpora.card import Card
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.readers import READERS
from curator.corpora.reading import Columns, Reading

_MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): Card,
    ("dataset",): DatasetPlace,
    ("reading",): Reading,
    ("reading", "columns"): Columns,
}
# Cards are written by hand; the parser takes seconds for a megabyte.
_MOST_BYTES = 256 * 1024
# The parser's time grows with the square of these, and no card has more than a few.
_OPENINGS = re.compile(r"(?:[\[{]\s*){32}")
_OURS = "folder"
# pydantic's words for types are Python's; a card's reader knows YAML's.
_WANTED = {
    "string_type": "text",
    "list_type": "a list, such as [text/*.txt]",
    "dict_type": "a mapping of keys",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}


def read_card(path: Path) -> Card:
    """Read one card from its YAML 1.2 file.

    Raises:
        InputError: the file cannot be read.
        RecipeError: all its faults, each ``file:line: what, fix``.
    """
    text = _text(path)
    values = _values(path, text, "safe")
    if not isinstance(values, dict):
        raise RecipeError([f"{path}:1: a card is a mapping of keys, such as `id: {path.stem}`"])
    faults: list[tuple[tuple[Any, ...], str]] = []
    card: Card | None = None
    try:
        card = Card.model_validate(values)
    except ValidationError as error:
        faults = [(fault["loc"], _words(fault)) for fault in error.errors(include_url=False)]
    faults += _own_faults(values, path)
    if faults or card is None:
        tree = _values(path, text, "rt")
        found = sorted({(_line(tree, where), what) for where, what in faults})
        raise RecipeError([f"{path}:{line}: {what}" for line, what in found])
    return card.model_copy(update={"folder": path.absolute().parent})


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError(f"{path}: no such file; name a card's YAML file")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > _MOST_BYTES:
        raise InputError(f"{path}: {len(content):,} bytes, more than the {_MOST_BYTES:,} that a card may have")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RecipeError([f"{path}:{line}: not UTF-8, save the file as UTF-8"]) from error
    opened = _OPENINGS.search(text)
    if opened:
        line = text.count("\n", 0, opened.start()) + 1
        raise RecipeError([f"{path}:{line}: nested too deeply; a card has a few keys and lists"])
    return text


def _values(path: Path, text: str, kind: str) -> Any:
    try:
        return YAML(typ=kind, pure=True).load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RecipeError([f"{path}:{line}: not YAML ({_first(error.problem)})"]) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise RecipeError([f"{path}:1: not YAML ({_first(str(error))})"]) from error


def _own_faults(values: dict[Any, Any], path: Path) -> list[tuple[tuple[str, ...], str]]:
    faults: list[tuple[tuple[str, ...], str]] = []
    named, reader = values.get("id"), values.get("reader")
    if isinstance(named, str) and named and named != path.stem:
        faults.append((("id",), f"id {named} differs from the file name; call it {path.stem}"))
    if isinstance(reader, str) and reader and reader not in READERS:
        faults.append((("reader",), f"no reader {reader}; {_hint(reader, list(READERS))}"))
    return faults


def _words(fault: Any) -> str:
    where = tuple(str(step) for step in fault["loc"])
    name, kind = ".".join(where), fault["type"]
    if kind == "extra_forbidden":
        model = _MODELS.get(where[:-1], Card)
        allowed = [key for key in model.model_fields if key != _OURS]
        return f"unknown key {name}; {_hint(where[-1], allowed)}"
    if where == (_OURS,):
        return f"unknown key {_OURS}; a card's folder is where its file lies"
    if kind == "missing":
        return f"{name} is missing; add it"
    if kind in _WANTED:
        return f"{name} must be {_WANTED[kind]}"
    if kind in {"string_too_short", "too_short"}:
        return f"{name}: empty; give at least one"
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{name}: {message}" if name else str(message)


def _hint(given: str, names: list[str]) -> str:
    return did_you_mean(given, names, f"choose one of: {', '.join(names)}")


def _line(tree: Any, where: tuple[Any, ...]) -> int:
    """Line (from 1) of the deepest part of ``where`` that is in the file."""
    line = 1
    for step in where:
        if isinstance(tree, dict) and step in tree:
            line = int(tree.lc.key(step)[0]) + 1  # type: ignore[attr-defined]
        elif isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            line = int(tree.lc.item(step)[0]) + 1  # type: ignore[attr-defined]
        else:
            continue
        tree = tree[step]
    return line


def _first(text: str | None) -> str:
    return next(iter((text or "").splitlines()), "it cannot be parsed")
