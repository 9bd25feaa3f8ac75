"""What a row says of itself: its licence, its language, its task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.rows.json_values import kind
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.values import MISSING, value_at
from curator.corpora.spdx import UNKNOWN

LICENCES = ("licence", "license")
"""Columns that hold a row's own licence unless the recipe names another."""
_NO_LANGUAGE = "und"


def own_licence(values: Mapping[str, Any], path: str | None) -> str:
    """A row's own licence, as one expression; empty when the row does not say.

    Several licences bind together. A value that is no licence is ``unknown``: the row said something else than its
    source, and what that is must not become the source's licence.

    Args:
        values: the row.
        path: the column that the recipe names; ``None`` looks under the usual names.
    """
    said = [_said(values, name) for name in (LICENCES if path is None else (path,))]
    for texts in said:
        if texts:
            return texts[0] if len(texts) == 1 else " AND ".join(map(_operand, texts))
    return "" if all(texts is None for texts in said) else UNKNOWN


def own_language(values: Mapping[str, Any], path: str | None) -> str:
    """A row's own language, ``und`` when its value is no single text; empty when the row does not say."""
    texts = _said(values, path)
    return "" if texts is None else texts[0] if len(texts) == 1 else _NO_LANGUAGE


def own_task(values: Mapping[str, Any], path: str | None) -> str:
    """A row's own task; empty when the row does not say.

    Raises:
        UnusableError: its value is no single text.
    """
    texts = _said(values, path)
    if texts is None:
        return ""
    if len(texts) != 1:
        raise UnusableError(
            f"column {path!r} must name the row's task as text, not {kind(value_at(values, str(path)))}", "no task"
        )
    return texts[0]


def _said(values: Mapping[str, Any], path: str | None) -> list[str] | None:
    """The different texts at ``path``: none for another kind of value, ``None`` when nothing is said there."""
    value = value_at(values, path) if path is not None else None
    if value is None or value is MISSING or (isinstance(value, str) and not value.strip()):
        return None
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) and part.strip() for part in parts):
        return []
    return list(dict.fromkeys(part.strip() for part in parts))


def _operand(licence: str) -> str:
    return f"({licence})" if " " in licence else licence
