"""Domains: what sets are made of, and which kind of prompt each serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from curator.report._svg import Scale, bar, strip
from curator.report._tables import Column, Table, of, table
from curator.report._verdicts import Document, arms_of, is_null
from curator.report.format import DASH, interval, is_number, kl, number, one_line, percentage

# Differences from a task's middle at which a cell takes the next shade; new draws of a recipe differ by 1.5-4 %.
_SHADES = (0.02, 0.05, 0.15)
_PARTS = 3


def heat_map(ranking: Document, decimals: int, ends: int) -> dict[str, Any] | None:
    """KL of every arm on every task, beside what the arm's sets are made of.

    Args:
        ranking: with ``domains``.
        decimals: of the means.
        ends: of the intervals.

    Returns:
        ``tasks`` and ``rows`` (``arm``, ``made_of`` in words, ``cells``: ``shade``, ``relative``, ``kl``, ``ci``,
        ``sign``); ``None`` without two tasks or arms.
    """
    domains = ranking.get("domains") or {}
    tasks, rows = domains.get("tasks") or [], domains.get("rows") or []
    if not tasks or len(rows) < 2:
        return None
    by_name = {arm["name"]: arm for arm in arms_of(ranking)}
    ordered = sorted((row for row in rows if row["arm"] in by_name), key=lambda row: row["kind"] == "null")
    return {
        "tasks": tasks,
        "rows": [
            {
                "arm": by_name[row["arm"]],
                "made_of": made_of(row.get("made_of")),
                "cells": [_cell((row.get("cells") or {}).get(task) or {}, decimals, ends) for task in tasks],
            }
            for row in ordered
        ],
    }


def made_of(shares: object) -> str:
    """The largest parts of a set, in words: ``prose 40 %, code 30 %``."""
    if not isinstance(shares, Mapping):
        return ""
    known = [(name, share) for name, share in shares.items() if is_number(share) and share > 0]
    words = [f"{one_line(name)} {number(100 * share, 0)} %" for name, share in known[:_PARTS]]
    return ", ".join(words) + (f" and {len(known) - _PARTS} more" if len(known) > _PARTS else "")


def _cell(cell: Mapping[str, Any], decimals: int, ends: int) -> dict[str, str]:
    relative = cell.get("relative")
    sign = {True: "lowest or not told from it", False: ""}.get(cell.get("may_be_lowest") or False, "")
    return {
        "shade": _shade(relative),
        "relative": signed_percent(relative),
        "kl": kl(cell.get("kl_mean"), decimals),
        "ci": interval(cell.get("kl_ci"), ends),
        "sign": sign,
    }


def signed_percent(value: object) -> str:
    """A share as a signed percentage with one decimal."""
    if not is_number(value):
        return DASH
    text = number(100 * value, 1)
    return f"{text} %" if text.startswith("-") or text == "0.0" else f"+{text} %"


def _shade(relative: object) -> str:
    """Class of a cell: ``low1`` to ``low3`` below the middle of the task, ``high1`` to ``high3`` above it."""
    if not is_number(relative):
        return ""
    level = sum(abs(relative) >= edge for edge in _SHADES)
    return f"{'low' if relative < 0 else 'high'}{level}" if level else ""


def composition_tables(ranking: Document) -> list[tuple[str, Table]]:
    """A table a kind of share: a row an arm, a column a part, a bar under each number."""
    found = []
    for kind, by_arm in (ranking.get("composition") or {}).items():
        arms = [arm for arm in arms_of(ranking) if by_arm.get(arm["name"])]
        names = list(dict.fromkeys(name for arm in arms for name in by_arm[arm["name"]]))
        made = table(
            [
                Column("Arm", lambda arm: str(arm["name"]), "name", keep=True),
                *(Column(f"{name} %", _share_cell(by_arm, name), "share") for name in names),
            ],
            arms,
            lambda arm: "null" if is_null(arm) else "",
        )
        if made is not None:
            found.append((str(kind), made))
    return found


def _share_cell(by_arm: Mapping[str, Any], name: str) -> Any:
    scale = Scale(0.0, 1.0)

    def cell(arm: Document) -> Markup | str:
        share = of(by_arm, arm["name"], name)
        if not is_number(share):
            return DASH
        return Markup("{}{}").format(percentage(share), strip(bar(scale, share), kind="share"))

    return cell


def served_best(ranking: Document) -> list[tuple[str, list[str]]]:
    """The user's arms that may have the lowest KL on a task, by task."""
    rows: Sequence[Mapping[str, Any]] = of(ranking, "domains", "rows") or []
    found = []
    for task in of(ranking, "domains", "tasks") or []:
        cells = [(row["arm"], of(row, "cells", task) or {}) for row in rows if row.get("kind") != "null"]
        lowest = [(cell.get("kl_mean"), name) for name, cell in cells if cell.get("may_be_lowest")]
        names = [name for _, name in sorted(lowest, key=lambda one: one[0] if is_number(one[0]) else 0.0)]
        if names:
            found.append((str(task), names))
    return found
