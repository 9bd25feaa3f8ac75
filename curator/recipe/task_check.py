"""Tasks of the sources against those that have a share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from curator._errors import InputError, did_you_mean
from curator.corpora.generators import GENERATORS
from curator.corpora.shelf import find_card
from curator.recipe.faults import Fault
from curator.recipe.positions import Location
from curator.recipe.source_kinds import SOURCE_KINDS

FolderOf = Callable[[Location], Path]


class TaskCheck:
    """Which sources are used, and what is wrong with their tasks.

    An heir or ``--set`` that takes a task's share away need not repeat the list of sources: those of the task that
    were written before are left out.

    Args:
        values: a recipe's values, right or wrong.
        folder_of: what relative paths of cards at a location start from.
        taken_of: tasks whose share was taken away after the value at a location was written, with what took it.
        cards: also complain of tasks that only a card tells.
    """

    def __init__(
        self,
        values: dict[str, Any],
        folder_of: FolderOf,
        taken_of: Callable[[Location], Mapping[str, str]],
        *,
        cards: bool,
    ) -> None:
        target, sources = values.get("target"), values.get("sources")
        tasks = target.get("tasks") if isinstance(target, dict) else None
        self._tasks = [task for task in tasks if isinstance(task, str) and task] if isinstance(tasks, dict) else []
        self._sources: list[Any] = sources if isinstance(sources, list) else []
        self._folder_of = folder_of
        self._taken: dict[int, Mapping[str, str]] = {
            index: taken for index in range(len(self._sources)) if (taken := taken_of(("sources", index, "task")))
        }
        self._cards = cards
        self.left_out = frozenset(
            index for index in self._taken if self._task(index, cards=True)[0] in self._taken[index]
        )
        """Numbers of the sources that are not used."""

    def notes(self) -> list[str]:
        """What is left out, in words: one note a task."""
        names: dict[tuple[str, str], list[str]] = {}
        for index in sorted(self.left_out):
            task, _ = self._task(index, cards=True)
            if task is not None:
                names.setdefault((task, self._taken[index][task]), []).append(_name(self._sources[index]))
        return [
            f"task {task} has no share after {by}: its sources are left out ({'; '.join(sources)})"
            for (task, by), sources in names.items()
        ]

    def faults(self) -> list[Fault]:
        """One fault a source with another task, one a task without a source."""
        if not self._tasks or not self._sources:
            return []
        used = [index for index in range(len(self._sources)) if index not in self.left_out]
        given = [(index, *self._task(index, cards=self._cards)) for index in used]
        found: list[Fault] = [
            (("sources", index, "task"), f"{words} is not in target.tasks; {self._hint(task)}")
            for index, task, words in given
            if task and task not in self._tasks
        ]
        # A source whose task nobody knows may be the one that is missing.
        if found or any(task is None for _, task, _ in given):
            return found
        having = {task for _, task, _ in given}
        return [
            (
                ("target", "tasks", task),
                f"task {task!r} has a share but no source; {self._meant(task)}add a source with task: {task}",
            )
            for task in self._tasks
            if task not in having
        ]

    def _task(self, index: int, *, cards: bool) -> tuple[str | None, str]:
        """A source's task and how to speak of it; ``None`` when it cannot be told."""
        source = self._sources[index]
        columns = source.get("columns") if isinstance(source, dict) else None
        if not isinstance(source, dict) or (isinstance(columns, dict) and columns.get("task")):
            return None, ""
        task = source.get("task")
        if task is not None:
            return (task, f"task {task!r}") if isinstance(task, str) and task else (None, "")
        name, corpus = source.get("generate"), source.get("corpus")
        if isinstance(name, str) and name in GENERATORS:
            return name, f"task {name!r} (of generate: {name})"
        if not cards or not isinstance(corpus, str):
            return None, ""
        try:
            card = find_card(corpus, self._folder_of(("sources", index, "corpus")))
        except InputError:
            return None, ""
        return card.task, f"task {card.task!r} (of corpus: {corpus})"

    def _hint(self, task: str | None) -> str:
        return did_you_mean(task or "", self._tasks, f"tasks: {', '.join(self._tasks)}")

    def _meant(self, task: str) -> str:
        """A share that was taken away may have come back with a typing error."""
        gone = dict.fromkeys(name for taken in self._taken.values() for name in taken)
        hint = did_you_mean(task, gone, "")
        return f"{hint} Else " if hint else ""


def _name(source: Mapping[str, Any]) -> str:
    key = next((key for key in SOURCE_KINDS if key in source), "")
    value = source.get(key)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
