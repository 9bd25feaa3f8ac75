"""What a recipe names and does not hold: tasks, corpora, generators, files. Looked up without opening a text."""

from __future__ import annotations

import difflib
import glob
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator._errors import InputError, RecipeError
from curator.corpora.generators import GENERATORS, find_generator
from curator.corpora.generators.contract import checked_options
from curator.corpora.shelf import find_card
from curator.recipe.faults import Fault
from curator.recipe.positions import Location

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
FolderOf = Callable[[Location], Path]


def task_faults(values: dict[str, Any]) -> list[Fault]:
    """Sources whose task has no share, and shares without a source, as far as the recipe alone tells."""
    return _TaskCheck(values, None).faults()


def reference_faults(values: dict[str, Any], folder_of: FolderOf) -> list[Fault]:
    """Names that lead nowhere: corpora, generators and their options, files, a template; and all of `task_faults`.

    Args:
        values: a recipe's values, right or wrong.
        folder_of: what relative paths at a location start from.
    """
    found: list[Fault] = []
    for index, source in enumerate(_sources(values)):
        for key, look in _LOOK.items():
            given = source.get(key) if isinstance(source, dict) else None
            if given and isinstance(given, str | list if key == "files" else str):
                found += [
                    (("sources", index, *where), f"sources.{index}: {what}")
                    for where, what in look(source, folder_of(("sources", index, key)))
                ]
    tokens = values.get("tokens")
    template = tokens.get("template") if isinstance(tokens, dict) else None
    where = ("tokens", "template")
    if isinstance(template, str) and template not in {"", "model"} and not (folder_of(where) / template).is_file():
        found.append((where, f"tokens.template: no such file {folder_of(where) / template}; or write model"))
    return found + _TaskCheck(values, folder_of).faults()


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
        path = folder / Path(name).expanduser() if name and isinstance(name, str) else None
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
    near = difflib.get_close_matches(path.name, beside, 1)
    return f"; did you mean {near[0]}?" if near else "; check the path"


def _dataset(source: dict[str, Any], folder: Path) -> list[Fault]:
    name = source["dataset"]
    if (folder / Path(name).expanduser()).is_dir() or _HUB_ID.fullmatch(name):
        return []
    return [(("dataset",), f"{name} is no folder and no id of the hub (owner/name)")]


_LOOK: dict[str, Callable[[dict[str, Any], Path], list[Fault]]] = {
    "corpus": _corpus,
    "generate": _generate,
    "files": _files,
    "dataset": _dataset,
}


class _TaskCheck:
    """Tasks of the sources against those that have a share.

    Args:
        values: a recipe's values, right or wrong.
        folder_of: where the paths of cards start from; ``None`` leaves tasks alone that only a card tells.
    """

    def __init__(self, values: dict[str, Any], folder_of: FolderOf | None) -> None:
        target = values.get("target")
        tasks = target.get("tasks") if isinstance(target, dict) else None
        self._tasks = [task for task in tasks if isinstance(task, str) and task] if isinstance(tasks, dict) else []
        self._sources = _sources(values)
        self._folder_of = folder_of

    def faults(self) -> list[Fault]:
        """One fault a source with another task, one a task without a source."""
        if not self._tasks or not self._sources:
            return []
        given = [self._task(source, index) for index, source in enumerate(self._sources)]
        found: list[Fault] = [
            (("sources", index, "task"), f"{words} is not in target.tasks; {self._hint(task)}")
            for index, (task, words) in enumerate(given)
            if task and task not in self._tasks
        ]
        # A source whose task nobody knows may be the one that is missing.
        if found or any(task is None for task, _ in given):
            return found
        having = {task for task, _ in given}
        return [
            (("target", "tasks", task), f"task {task!r} has a share but no source; add a source with task: {task}")
            for task in self._tasks
            if task not in having
        ]

    def _task(self, source: Any, index: int) -> tuple[str | None, str]:
        """A source's task and how to speak of it; ``None`` when it cannot be told."""
        columns = source.get("columns") if isinstance(source, dict) else None
        if not isinstance(source, dict) or (isinstance(columns, dict) and columns.get("task")):
            return None, ""
        task = source.get("task")
        if task is not None:
            return (task, f"task {task!r}") if isinstance(task, str) and task else (None, "")
        name, corpus = source.get("generate"), source.get("corpus")
        if isinstance(name, str) and name in GENERATORS:
            return name, f"task {name!r} (of generate: {name})"
        if self._folder_of is None or not isinstance(corpus, str):
            return None, ""
        try:
            card = find_card(corpus, self._folder_of(("sources", index, "corpus")))
        except InputError:
            return None, ""
        return card.task, f"task {card.task!r} (of corpus: {corpus})"

    def _hint(self, task: str | None) -> str:
        near = difflib.get_close_matches(task or "", self._tasks, 1)
        return f"did you mean {near[0]}?" if near else f"tasks: {', '.join(self._tasks)}"


def _sources(values: dict[str, Any]) -> list[Any]:
    sources = values.get("sources")
    return sources if isinstance(sources, list) else []
