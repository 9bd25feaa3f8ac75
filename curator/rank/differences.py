"""Two nested values, two recipes or two manifests, and one line for each thing that differs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from curator.recipe.schema import Recipe
from curator.recipe.source_kinds import SOURCE_KINDS

_SHA256 = re.compile(r"[0-9a-f]{64}")
# Of a hash and of a list, what tells two apart on a terminal.
_HASH, _ITEMS = 12, 6


def changes(first: Any, second: Any, place: str = "") -> list[str]:
    """One line for each value that differs; a key that is absent, null or empty on both sides is no difference."""
    if isinstance(first, dict) and isinstance(second, dict):
        return [
            line
            for key in dict.fromkeys([*first, *second])
            for line in changes(first.get(key), second.get(key), f"{place}.{key}" if place else str(key))
        ]
    if first == second or (_is_nothing(first) and _is_nothing(second)):
        return []
    # A whole mapping that only one side has is told key by key, as one that both have.
    if isinstance(first, dict) and first and second is None:
        return changes(first, {}, place)
    if isinstance(second, dict) and second and first is None:
        return changes({}, second, place)
    return [f"{place}: {shown(first)} -> {shown(second)}"]


def shown(value: Any) -> str:
    """A value on one line: mappings and lists as YAML writes them, long hashes and lists shortened."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items() if not _is_nothing(item)) + "}"
        )
    if isinstance(value, list):
        more = [f"... ({len(value)} in all)"] if len(value) > _ITEMS else []
        return "[" + ", ".join([*map(shown, value[:_ITEMS]), *more]) + "]"
    if isinstance(value, str):
        return value[:_HASH] if _SHA256.fullmatch(value) else repr(value)
    return "none" if value is None else json.dumps(value)


def recipe_changes(first: Any, second: Any) -> list[str]:
    """What differs between two recipes as stored; sources are matched by what they read, not by their place."""
    a, b = _complete(first), _complete(second)
    sources = _sources(a.pop("sources", None)), _sources(b.pop("sources", None))
    return changes(a, b) + _source_changes(*sources)


def manifest_changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, list[str]]:
    """What differs between two sets, by heading; what one of them does not record is no difference."""
    shares, dropped = ([_recorded(one, key) for one in (first, second)] for key in ("shares", "dropped"))
    return {
        "set": _facts(first, second),
        "shares": _by_key(shares[0], shares[1], _percent),
        "licences": _by_key(_licences(first), _licences(second), _tokens),
        "dropped": _by_key(dropped[0], dropped[1], _count),
    }


def _facts(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    a, b = _flat_facts(first), _flat_facts(second)
    both = [name for name in a if name in b]
    return changes({name: a[name] for name in both}, {name: b[name] for name in both})


def _flat_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    names = ("set_hash", "samples", "tokens", "name", "draw", "model", "heldout_hash", "tool")
    return {
        **{name: manifest[name] for name in names if name in manifest},
        **{f"tokenizer.{key}": value for key, value in _mapping(manifest.get("tokenizer")).items()},
        **{
            f"revision of {row.get('corpus')}": row["revision"]
            for row in _rows(manifest.get("sources"))
            if row.get("revision")
        },
    }


def _recorded(manifest: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    value = manifest.get(key)
    return value if isinstance(value, dict) else None


def _licences(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    if "licences" not in manifest:
        return None
    return {str(row.get("licence")): row.get("tokens") for row in _rows(manifest["licences"])}


def _by_key(
    first: Mapping[str, Any] | None, second: Mapping[str, Any] | None, words: Callable[[Any], str]
) -> list[str]:
    if first is None or second is None:
        return []
    pairs = (
        (key, words(first.get(key, 0)), words(second.get(key, 0))) for key in dict.fromkeys([*first, *second])
    )
    return [f"{key}: {left} -> {right}" for key, left, right in pairs if left != right]


def _percent(value: Any) -> str:
    return f"{value:.2%}" if isinstance(value, int | float) else shown(value)


def _tokens(value: Any) -> str:
    return f"{value:,} tokens" if isinstance(value, int) else shown(value)


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else shown(value)


def _complete(recipe: Any) -> dict[str, Any]:
    """A stored recipe with the defaults of keys that its version of Curate did not have."""
    try:
        return Recipe.model_validate(recipe).model_dump(mode="json")
    except ValidationError:
        return dict(_mapping(recipe))


def _sources(sources: Any) -> list[tuple[str, dict[str, Any]]]:
    """Each source under a name of what it reads and for which task, which may occur twice."""
    found = []
    for source in _rows(sources):
        kind = next((kind for kind in SOURCE_KINDS if source.get(kind)), next(iter(source)))
        task = f" for {source['task']}" if source.get("task") else ""
        found.append((f"{kind} {source.get(kind)}{task}", source))
    return found


def _source_changes(
    first: Sequence[tuple[str, dict[str, Any]]], second: Sequence[tuple[str, dict[str, Any]]]
) -> list[str]:
    rest = list(second)
    lines = []
    for name, source in first:
        other = next((pair for pair in rest if pair[0] == name), None)
        if other is None:
            lines.append(f"{name}: only in the first")
            continue
        rest.remove(other)
        lines += [f"{name}: {line}" for line in changes(source, other[1])]
    lines += [f"{name}: only in the second" for name, _ in rest]
    names = [[name for name, _ in sources] for sources in (first, second)]
    if names[0] != names[1] and sorted(names[0]) == sorted(names[1]):
        lines.append("the same sources, in another order")
    return lines


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, dict | list | str) and not value)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if row and isinstance(row, dict)] if isinstance(value, list) else []
