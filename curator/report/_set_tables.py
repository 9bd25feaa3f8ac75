"""What a build asked for and got, as tables of a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from curator.report._ranking_tables import asked_and_got, off_target
from curator.report.format import DASH, count, is_number, one_line, percentage, signed
from curator.report.terminal_tables import NAME_WIDTH, add_numbers, add_words


def shares_table(summary: Mapping[str, Any], table: Table) -> Table | None:
    """Shares of the tokens, asked and got; ``None`` when the summary has none.

    Args:
        summary: of the build.
        table: an empty one, to be filled.
    """
    asked, got = asked_and_got(summary)
    tasks = dict.fromkeys([*asked, *got])
    if not tasks:
        return None
    add_words(table, "share of tokens")
    add_numbers(table, "asked %", "got %", "points")
    add_words(table, "")
    for task in tasks:
        wish, share = asked.get(task), got.get(task)
        points = signed(100 * (share - wish), 1) if is_number(wish) and is_number(share) else DASH
        off = Text("more than 2 points off", "yellow") if off_target(share, wish) else Text("")
        cells = (percentage(wish), percentage(share), points)
        table.add_row(Text(one_line(task)), *map(Text, cells), off)
    return table


def shortfall_table(rows: Sequence[Mapping[str, Any]], table: Table) -> Table:
    """What is missing, why, and where more could be had.

    Args:
        rows: `Shortfall` as JSON.
        table: an empty one, to be filled.
    """
    add_words(table, "missing", max_width=NAME_WIDTH)
    add_numbers(table, "asked", "found", "taken")
    add_words(table, "why")
    for row in rows:
        more = f"; try {row['suggestion']}" if row.get("suggestion") else ""
        why = Text(one_line(f"{row['why']}{more}"))
        counts = (count(row.get(key)) for key in ("asked", "available", "taken"))
        table.add_row(Text(one_line(row["cell"])), *map(Text, counts), why)
    return table
