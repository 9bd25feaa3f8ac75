"""How a run is made again: settings, recipes and versions for the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from curator.report._tables import Column, Table, of, table
from curator.report._verdicts import Document
from curator.report.format import short_hash


def settings(ranking: Document) -> list[tuple[str, str]]:
    """Every setting of the plan, as pairs of words."""
    return [
        (name.replace("_", " "), _value(value)) for name, value in (of(ranking, "reproduce", "plan") or {}).items()
    ]


def versions(ranking: Document) -> list[tuple[str, str]]:
    """The versions that numbers depend on."""
    return [(str(name), str(value)) for name, value in (of(ranking, "reproduce", "versions") or {}).items()]


def recipes_table(ranking: Document) -> Table | None:
    """The recipes: file, hash, and what was changed in them."""
    columns = [
        Column("Recipe", lambda row: str(row.get("name")), "name", keep=True),
        Column("File", lambda row: str(row.get("path") or ""), "text words"),
        Column("Hash", lambda row: short_hash(row.get("sha256")), "code"),
        Column("Changed", lambda row: "; ".join(map(str, row.get("changed") or ())), "text words"),
    ]
    return table(columns, of(ranking, "reproduce", "recipes") or [])


def _value(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping | list) else str(value)
