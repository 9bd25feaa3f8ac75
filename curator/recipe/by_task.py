"""Settings of single tasks against the tasks that have a share."""

from __future__ import annotations

from typing import Any

from curator._errors import did_you_mean
from curator.recipe.faults import Fault
from curator.recipe.resolved import Resolved

_PLACES = (("gates", "by_task"), ("target", "by_task"))


def by_task_faults(resolved: Resolved) -> list[Fault]:
    """Settings for a task without a share are a slip, unless whoever took the share away came later."""
    tasks = _mapping(resolved.values, "target", "tasks")
    found: list[Fault] = []
    for place in _PLACES:
        for task in _mapping(resolved.values, *place) if tasks else ():
            where = (*place, task)
            if task not in tasks and task not in resolved.taken_from(where):
                hint = did_you_mean(task, tasks, f"it is none of {', '.join(tasks)}")
                found.append((where, f"{'.'.join(place)}: task {task!r} has no share; {hint}"))
    return found


def _mapping(values: dict[str, Any], *path: str) -> dict[str, Any]:
    """The mapping at a path, without keys that are no text; empty where there is none."""
    here: Any = values
    for key in path:
        here = here.get(key) if isinstance(here, dict) else None
    return {key: value for key, value in here.items() if isinstance(key, str)} if isinstance(here, dict) else {}
