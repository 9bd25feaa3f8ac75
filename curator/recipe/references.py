"""What a recipe names and does not hold: corpora, generators, files. Looked up without opening a text."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

from curator._errors import InputError, RecipeError, did_you_mean
from curator.corpora.generators import find_generator
from curator.corpora.generators.contract import checked_options
from curator.corpora.shelf import find_card
from curator.recipe.chat_template_check import template_problem
from curator.recipe.embedder_check import embedder_problem
from curator.recipe.faults import Fault
from curator.recipe.positions import Location
from curator.recipe.source_kinds import SELF

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
FolderOf = Callable[[Location], Path]


def reference_faults(
    values: dict[str, Any], folder_of: FolderOf, without: Container[int] = frozenset()
) -> list[Fault]:
    """Names that lead nowhere: corpora, generators and their options, files, a template, evaluation files,
    an embedder.

    Args:
        values: a recipe's values, right or wrong.
        folder_of: what relative paths at a location start from.
        without: numbers of sources that are left out.
    """
    sources = values.get("sources")
    found: list[Fault] = []
    for index, source in enumerate(sources if isinstance(sources, list) else ()):
        if index in without:
            continue
        found += [
            (("sources", index, *where), f"sources.{index}: {what}")
            for where, what in _source(source, folder_of, ("sources", index))
        ]
    return found + _template(values, folder_of) + _leakage(values, folder_of) + _embedder(values)


def _source(source: Any, folder_of: FolderOf, at: Location) -> list[Fault]:
    if not isinstance(source, dict):
        return []
    if source.get("generate") == SELF:
        return [(("prompts", *where), what) for where, what in _source(source.get("prompts"), folder_of, at)]
    found: list[Fault] = []
    for key, look in _LOOK.items():
        given = source.get(key)
        if given and isinstance(given, str | list if key == "files" else str):
            found += look(source, folder_of((*at, key)))
    return found


def _leakage(values: dict[str, Any], folder_of: FolderOf) -> list[Fault]:
    gates = values.get("gates")
    gate = gates.get("leakage") if isinstance(gates, dict) else None
    if not isinstance(gate, dict):
        return []
    found: list[Fault] = []
    for key in ("against", "exempt"):
        names = gate.get(key)
        for index, name in enumerate(names if isinstance(names, list) else ()):
            where = ("gates", "leakage", key, index)
            path = folder_of(where) / os.path.expanduser(name) if isinstance(name, str) and name else None
            if path is not None and not path.is_file():
                found.append((where, f"gates.leakage.{key}: no such file {name}{_nearest(path)}"))
    return found


def _template(values: dict[str, Any], folder_of: FolderOf) -> list[Fault]:
    tokens, where = values.get("tokens"), ("tokens", "template")
    template = tokens.get("template") if isinstance(tokens, dict) else None
    if not isinstance(template, str) or template in {"", "model"}:
        return []
    file = folder_of(where) / template
    problem = template_problem(file) if file.is_file() else f"no such file {file}; or write model"
    return [(where, f"tokens.template: {problem}")] if problem else []


def _embedder(values: dict[str, Any]) -> list[Fault]:
    continuity = values.get("continuity")
    name = continuity.get("embedder") if isinstance(continuity, dict) else None
    problem = embedder_problem(name) if isinstance(name, str) and name else ""
    return [(("continuity", "embedder"), f"continuity.embedder: {problem}")] if problem else []


def _corpus(source: dict[str, Any], folder: Path) -> list[Fault]:
    try:
        find_card(source["corpus"], folder)
    except RecipeError as error:
        return [(("corpus",), problem) for problem in error.problems]
    except InputError as error:
        return [(("corpus",), str(error))]
    return []


def _generate(source: dict[str, Any], _folder: Path) -> list[Fault]:
    name, options = source["generate"], source.get("options", {})
    try:
        generator = find_generator(name)
    except InputError as error:
        return [(("generate",), str(error))]
    found: list[Fault] = []
    for key, value in options.items() if isinstance(options, dict) else ():
        try:
            checked_options(name, generator, {key: value})
        except InputError as error:
            found.append((("options", key), str(error)))
    return found


def _files(source: dict[str, Any], folder: Path) -> list[Fault]:
    given = source["files"]
    named = (
        [(("files",), given)] if isinstance(given, str) else [(("files", n), one) for n, one in enumerate(given)]
    )
    found: list[Fault] = []
    for where, name in named:
        path = folder / os.path.expanduser(name) if name and isinstance(name, str) else None
        if path is None or path.exists():
            continue
        if not glob.has_magic(name):
            found.append((where, f"no such file or folder {name} in {folder.absolute()}{_nearest(path)}"))
        elif not any(glob.iglob(str(path), recursive=True)):
            found.append((where, f"no file fits {name} in {folder.absolute()}; check the pattern"))
    return found


def _nearest(path: Path) -> str:
    try:
        beside = sorted(other.name for other in path.parent.iterdir())
    except OSError:
        beside = []
    return f"; {did_you_mean(path.name, beside, 'check the path')}"


def _dataset(source: dict[str, Any], folder: Path) -> list[Fault]:
    name = source["dataset"]
    if (folder / os.path.expanduser(name)).is_dir() or _HUB_ID.fullmatch(name):
        return []
    return [(("dataset",), f"{name} is no folder and no id of the hub (owner/name)")]


_LOOK: dict[str, Callable[[dict[str, Any], Path], list[Fault]]] = {
    "corpus": _corpus,
    "generate": _generate,
    "files": _files,
    "dataset": _dataset,
}
