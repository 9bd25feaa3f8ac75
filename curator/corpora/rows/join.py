r"""Texts made of columns by a template such as ``"{title}\n\n{body}"``."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from curator.corpora.rows.values import text_at


def parse_template(template: str) -> list[tuple[str, str | None]]:
    """The parts of a template: literal text, and the column (or path) that follows it, ``None`` at the end.

    ``{{`` and ``}}`` are braces. A column stands alone between braces: nothing is computed, formatted or looked up
    beyond what a path such as ``answers.text.0`` reaches.

    Raises:
        ValueError: no column in it, a brace without its partner, or more than a column between braces.
    """
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"join {template!r} has a brace without its partner; write {{{{ for a brace") from error
    for _, column, spec, conversion in parts:
        if column is not None and (not column.strip() or spec or conversion or set(column) & set("[]{}")):
            raise ValueError(f"join {template!r}: write only a column between braces, such as {{title}}")
    if all(column is None for _, column, _, _ in parts):
        raise ValueError(f'join {template!r} names no column; write one in braces, such as "{{title}}"')
    return [(literal, column) for literal, column, _, _ in parts]


def template_columns(template: str) -> list[str]:
    """The columns that a template names, in its order."""
    return [column for _, column in parse_template(template) if column is not None]


def joined(values: Mapping[str, Any], template: str) -> str:
    """The template with each column's text in its place.

    Raises:
        UnusableError: a column is missing, null, no text, or shows nothing.
    """
    return "".join(
        literal + (text_at(values, column) if column is not None else "")
        for literal, column in parse_template(template)
    )
