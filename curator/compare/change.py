"""One thing that differs, and how values are written on one line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SHA256 = re.compile(r"[0-9a-f]{64}")
# Of a hash and of a list, what tells two apart on a terminal.
_HASH, _ITEMS = 12, 6
# Far above any weight or count; sums of larger ones could overflow.
_LARGEST = 1e15

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        place: keys that lead to it.
        first: the value of the first; ``None`` where it has none.
        second: the value of the second.
        words: the same in one line for people.
    """

    place: Place
    first: Any
    second: Any
    words: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "place": ".".join(self.place),
            "first": self.first,
            "second": self.second,
            "words": self.words or f"{'.'.join(self.place)}: {arrow(self.first, self.second)}",
        }


def changes(first: Any, second: Any, place: Place = ()) -> list[Change]:
    """Every value that differs; a key that is absent, null or empty on both sides is no difference."""
    if isinstance(first, dict) and isinstance(second, dict):
        return [
            change
            for key in dict.fromkeys([*first, *second])
            for change in changes(first.get(key), second.get(key), (*place, str(key)))
        ]
    if first == second or (is_nothing(first) and is_nothing(second)):
        return []
    # A whole mapping that only one side has is told key by key, as one that both have.
    if isinstance(first, dict) and first and second is None:
        return changes(first, {}, place)
    if isinstance(second, dict) and second and first is None:
        return changes({}, second, place)
    return [Change(place, first, second)]


def arrow(first: Any, second: Any) -> str:
    """Both values on one line."""
    return f"{shown(first)} -> {shown(second)}"


def shown(value: Any) -> str:
    """A value on one line, as people say it; long hashes and lists are shortened."""
    if isinstance(value, dict):
        inner = ", ".join(f"{key} {shown(item)}" for key, item in value.items() if not is_nothing(item))
        return f"on ({inner})" if inner else "on"
    if isinstance(value, list):
        more = [f"... ({len(value)} in all)"] if len(value) > _ITEMS else []
        return ", ".join([*map(shown, value[:_ITEMS]), *more]) or "none"
    if isinstance(value, str):
        return (value[:_HASH] if _SHA256.fullmatch(value) else value) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else json.dumps(value)


def is_nothing(value: Any) -> bool:
    """Whether a key with this value says nothing."""
    return value is None or (isinstance(value, dict | list | str) and not value)


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping of a stored document; an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """The mappings of a stored list; what is none is left out."""
    return [row for row in value if row and isinstance(row, dict)] if isinstance(value, list) else []


def real(value: Any) -> float | None:
    """A stored number, or ``None``."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and abs(value) <= _LARGEST else None


def percent(share: float) -> str:
    """A share: whole per cents where they say it, else one decimal."""
    return f"{100 * share:.0f} %" if abs(100 * share - round(100 * share)) < 0.05 else f"{100 * share:.1f} %"
