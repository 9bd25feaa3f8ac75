"""What differs between the sources of two recipes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.compare.change import Change, arrow, changes, real, rows, shown
from curator.compare.shares import weight_words
from curator.recipe.source_kinds import SOURCE_KINDS


@dataclass(frozen=True, slots=True)
class _Source:
    """A source.

    Attributes:
        name: what it reads and for which task; may occur twice.
        task: its task as far as the recipe says it.
        weight: within the task.
        share: of the task's tokens.
        rest: its other keys.
    """

    name: str
    task: str | None
    weight: float
    share: float
    rest: dict[str, Any]


def source_changes(first: Any, second: Any) -> list[Change]:
    """What differs; sources are matched by what they read, not by their place.

    Args:
        first: a stored list of sources.
        second: a stored list of sources.
    """
    a, b = _sources(first), _sources(second)
    rest = list(b)
    found: list[Change] = []
    for source in a:
        other = next((one for one in rest if one.name == source.name), None)
        if other is not None:
            rest.remove(other)
        found += _changes(source, other)
    found += [change for source in rest for change in _changes(None, source)]
    names = [[source.name for source in sources] for sources in (a, b)]
    if names[0] != names[1] and sorted(names[0]) == sorted(names[1]):
        found.append(Change(("sources",), names[0], names[1], "the same sources, in another order"))
    return found


def _changes(first: _Source | None, second: _Source | None) -> list[Change]:
    known = first or second
    assert known is not None
    place = ("sources", known.name)
    words = weight_words(
        known.name,
        first.weight if first else None,
        second.weight if second else None,
        first.share if first else 0.0,
        second.share if second else 0.0,
        known.task,
    )
    told = [Change(place, _weight(first), _weight(second), words)] if words else []
    if first is None or second is None:
        return told
    return told + [
        Change((*place, *one.place), one.first, one.second, f"{known.name}: {' '.join(one.place)} {_arrow(one)}")
        for one in changes(first.rest, second.rest)
    ]


def _arrow(change: Change) -> str:
    return arrow(change.first, change.second)


def _weight(source: _Source | None) -> float | None:
    return source.weight if source else None


def _sources(stored: Any) -> list[_Source]:
    given = rows(stored)
    tasks = [_task(source) for source in given]
    loads = [real(source.get("weight", 1.0)) or 0.0 for source in given]
    totals = {
        task: math.fsum(load for load, own in zip(loads, tasks, strict=True) if own == task) for task in tasks
    }
    return [
        _Source(_name(source), task, load, load / totals[task] if totals[task] else 0.0, _rest(source))
        for source, task, load in zip(given, tasks, loads, strict=True)
    ]


def _task(source: Mapping[str, Any]) -> str | None:
    task = source.get("task") or source.get("generate")
    return str(task) if task else None


def _name(source: Mapping[str, Any]) -> str:
    kind = next((kind for kind in SOURCE_KINDS if source.get(kind)), next(iter(source)))
    task = f" for {shown(source['task'])}" if source.get("task") else ""
    return f"{kind} {shown(source.get(kind))}{task}"


def _rest(source: Mapping[str, Any]) -> dict[str, Any]:
    kinds: Sequence[str] = (*SOURCE_KINDS, "task", "weight")
    return {key: value for key, value in source.items() if key not in kinds}
