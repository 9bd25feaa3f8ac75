"""Gates of single tasks against the tasks that have a share."""

from __future__ import annotations

import difflib
from typing import Any

from curator.recipe.faults import Fault
from curator.recipe.resolved import Resolved


def gate_task_faults(resolved: Resolved) -> list[Fault]:
    """Settings for a task without a share are a slip, unless whoever took the share away came later."""
    tasks, own = (_mapping(resolved.values, *path) for path in (("target", "tasks"), ("gates", "by_task")))
    found: list[Fault] = []
    for task in own if tasks else ():
        where = ("gates", "by_task", task)
        if task not in tasks and task not in resolved.taken_from(where):
            near = difflib.get_close_matches(task, tasks, 1)
            hint = f"did you mean {near[0]}?" if near else f"it is none of {', '.join(tasks)}"
            found.append((where, f"gates.by_task: task {task!r} has no share; {hint}"))
    return found


def _mapping(values: dict[str, Any], *path: str) -> dict[str, Any]:
    """The mapping at a path, without keys that are no text; empty where there is none."""
    here: Any = values
    for key in path:
        here = here.get(key) if isinstance(here, dict) else None
    return {key: value for key, value in here.items() if isinstance(key, str)} if isinstance(here, dict) else {}
