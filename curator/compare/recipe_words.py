"""What differs between two recipes, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from curator.compare.change import Change, Place, arrow, changes, mapping, real, rows
from curator.compare.shares import share_changes, weights
from curator.compare.source_words import source_changes
from curator.recipe.schema import Recipe

_AREAS = {"quantize": "quantisation", "low_continuity": "low continuity"}


def recipe_changes(first: Any, second: Any) -> list[Change]:
    """What differs between two recipes as stored: what it is for, where it comes from, then all settings.

    Args:
        first: as `Recipe.model_dump` gives it; a recipe of another version is compared as far as it goes.
        second: the same.
    """
    a, b = _complete(first), _complete(second)
    targets = [dict(mapping(recipe.pop("target", None))) for recipe in (a, b)]
    sources = [recipe.pop("sources", None) for recipe in (a, b)]
    sizes = [recipe.pop("size", None) for recipe in (a, b)]
    return [
        *_size_changes(*sizes),
        *_target_changes(*targets),
        *source_changes(*sources),
        *(replace(change, words=_words(change)) for change in changes(a, b)),
    ]


def _complete(recipe: Any) -> dict[str, Any]:
    """A stored recipe with the defaults of keys that its version of Curate did not have."""
    try:
        return Recipe.model_validate(recipe).model_dump(mode="json")
    except ValidationError:
        return dict(mapping(recipe))


def _size_changes(first: Any, second: Any) -> list[Change]:
    if not changes(first, second):
        return []
    return [Change(("size",), first, second, f"size {_size(first)} -> {_size(second)}")]


def _size(size: Any) -> str:
    given = mapping(size)
    listed = rows(given.get("mix")) or [dict(given)]
    parts = [(real(part.get("samples")), real(part.get("tokens"))) for part in listed]
    known = [(samples, tokens) for samples, tokens in parts if samples and tokens]
    if not known:
        return "unknown"
    total = sum(samples * tokens for samples, tokens in known)
    return " + ".join(f"{samples:,.0f} x {tokens:,.0f}" for samples, tokens in known) + f" = {total:,.0f} tokens"


def _target_changes(a: dict[str, Any], b: dict[str, Any]) -> list[Change]:
    tasks = [weights(target.pop("tasks", None)) for target in (a, b)]
    own = [mapping(target.pop("by_task", None)) for target in (a, b)]
    found = share_changes(tasks[0], tasks[1], "task {}", ("target", "tasks"))
    found += _kind_changes(a, b, ("target",), "")
    for task in dict.fromkeys([*own[0], *own[1]]):
        of = [dict(mapping(one.get(task))) for one in own]
        found += _kind_changes(of[0], of[1], ("target", "by_task", str(task)), f" of task {task}")
    return found


def _kind_changes(a: dict[str, Any], b: dict[str, Any], place: Place, of: str) -> list[Change]:
    """Languages and lengths, wanted of all tasks or of one, and what else a target says."""
    kinds: dict[str, tuple[str, Callable[[Any], dict[str, float]]]] = {
        "languages": ("language {}" + of, weights),
        "lengths": ("texts of {} tokens" + of, _bins),
    }
    found = []
    for key, (what, read) in kinds.items():
        found += share_changes(read(a.pop(key, None)), read(b.pop(key, None)), what, (*place, key))
    rest = (replace(change, place=(*place, *change.place)) for change in changes(a, b))
    return found + [replace(change, words=_words(change)) for change in rest]


def _bins(stored: Any) -> dict[str, float]:
    given = [(real(one.get("upto")), real(one.get("share"))) for one in rows(stored)]
    return {"more" if upto is None else f"up to {upto:,.0f}": share for upto, share in given if share is not None}


def _words(change: Change) -> str:
    """A setting in words: of which part of the recipe, what, and both values."""
    area, *keys = change.place
    task = ""
    if area == "gates":
        if keys[:1] == ["by_task"] and len(keys) > 1:
            task, keys = f" of task {keys[1]}", keys[2:]
        subject = f"gate {' '.join(keys[:1])}".strip()
        keys = keys[1:]
    elif area == "target":
        subject, keys = _AREAS.get(keys[0], keys[0]), keys[1:]
    else:
        subject = _AREAS.get(area, area)
    return f"{subject}{task} {' '.join([*keys, arrow(change.first, change.second)])}"
