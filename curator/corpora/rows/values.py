"""Values within a row, found by a path, and texts that are none."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from curator.corpora.rows.json_values import kind
from curator.corpora.rows.records import UnusableError

MISSING: Final = object()
_SHOWN = 20
# Letters and marks that show nothing, although Unicode does not class them as format characters.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(code) for code in range(0xFE00, 0xFE10)
}


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """The value at ``path``: a column's name, or steps into objects and lists such as ``answers.text.0``.

    Returns:
        The value; `MISSING` when there is no such place; ``None`` also where a step on the way is null.
    """
    if path in values:
        return values[path]
    value: Any = values
    for step in path.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None if value is None else MISSING
    return value


def present_at(values: Mapping[str, Any], path: str) -> Any:
    """The value at ``path``, which must be there and not null.

    Raises:
        UnusableError: it is missing or null.
    """
    value = value_at(values, path)
    if value is MISSING:
        raise UnusableError(f"no column {path!r}; columns found: {column_list(values)}", "missing column")
    if value is None:
        raise UnusableError(f"column {path!r} is null", "null")
    return value


def text_at(values: Mapping[str, Any], path: str) -> str:
    """The text at ``path``, unchanged.

    Raises:
        UnusableError: it is missing, null, no text, or shows nothing.
    """
    text = string_at(values, path)
    if why := why_empty(text):
        raise UnusableError(f"column {path!r} is {_EMPTY[why]}", why)
    return text


def string_at(values: Mapping[str, Any], path: str) -> str:
    """The string at ``path``, which may be empty.

    Raises:
        UnusableError: it is missing, null or no text.
    """
    value = present_at(values, path)
    if isinstance(value, bytes):
        raise UnusableError(f"column {path!r} holds bytes that are not UTF-8", "not UTF-8")
    if not isinstance(value, str):
        fix = f"name a part of it, such as {path}.0" if isinstance(value, list) else "convert it, or name another"
        raise UnusableError(f"column {path!r} must be text, not {kind(value)}; {fix}", "not text")
    return value


def why_empty(text: str) -> str:
    """``empty``, ``blank`` (white space) or ``zero-width`` (nothing visible); an empty string for real text."""
    if not text:
        return "empty"
    shown = text.strip()
    if not shown:
        return "blank"
    if any(_is_visible(character) for character in shown):
        return ""
    return "zero-width"


def column_list(names: Mapping[str, Any] | list[str]) -> str:
    """Columns for a message."""
    shown = ", ".join(list(names)[:_SHOWN]) or "none"
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _is_visible(character: str) -> bool:
    invisible = unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp") or character in _INVISIBLE
    return not invisible


_EMPTY = {"empty": "empty", "blank": "blank", "zero-width": "made of invisible characters only"}
