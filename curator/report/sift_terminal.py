"""What was sifted, on a terminal or in a pipe: reasons, scores, and the texts nearest to each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report.format import count, number, one_line, percentage
from curator.report.score_values import (
    QUANTILES,
    all_values,
    decimals_of,
    limit_words,
    quantile,
    taken_words,
)
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_block

_NEAREST = 3
_WORDS = 6
_NAME = 24


def print_sift(document: Mapping[str, Any], console: Console) -> None:
    """Print what was sifted.

    Args:
        document: as `ScoreSummary.document` makes it, with a ``name`` and ``warnings``; with ``before`` (kept and
            dropped by reason and task) where limits were changed.
        console: where to print.
    """
    rows, kept = document["rows"], document["kept"]
    share = f" ({percentage(kept / rows)} %)" if rows else ""
    console.print(
        Text(f"{one_line(document.get('name') or 'rows')}: {count(kept)} of {count(rows)} kept{share}", "bold")
    )
    before = document.get("before")
    _reasons(document, before, console)
    _tasks(document, before, console)
    _counted(document["words"].get("language") or {}, "languages found", console)
    _counted(document.get("leakage") or {}, "texts of evaluation items", console)
    scores = [score for score in document["scores"] if all_values(score)]
    if scores:
        _quantiles(scores, console)
    for score in scores:
        for limit in score["limits"]:
            _nearest(score, limit, console)
    for warning in document.get("warnings") or ():
        console.print()
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text("warning:", "yellow"), Text(one_line(warning)))
        console.print(grid, highlight=False)


def _reasons(document: Mapping[str, Any], before: Mapping[str, Any] | None, console: Console) -> None:
    now, old = document["by_reason"], (before or {}).get("by_reason") or {}
    if not now and not old:
        return
    table = _table("dropped, by reason", *(("before", "now") if before else ("rows",)), "% of all")
    for reason in sorted({**now, **old}, key=lambda name: (-now.get(name, 0), -old.get(name, 0), name)):
        size = now.get(reason, 0)
        cells = [count(old.get(reason, 0))] if before else []
        cells += [count(size), percentage(size / document["rows"])]
        table.add_row(Text(one_line(reason)), *cells)
    print_block(console, table)


def _tasks(document: Mapping[str, Any], before: Mapping[str, Any] | None, console: Console) -> None:
    tasks, old = document["by_task"], (before or {}).get("by_task") or {}
    if len(tasks) < 2 and not before:
        return
    heads = ("kept before", "kept now", "dropped now") if before else ("kept", "dropped")
    table = _table("task", *heads, "kept %")
    for task, sides in tasks.items():
        total = sides["kept"] + sides["dropped"]
        cells = [count((old.get(task) or {}).get("kept", 0))] if before else []
        cells += [
            count(sides["kept"]),
            count(sides["dropped"]),
            percentage(sides["kept"] / total if total else None),
        ]
        table.add_row(Text(one_line(task)), *cells)
    print_block(console, table)


def _counted(found: Mapping[str, int], words: str, console: Console) -> None:
    """Names with their counts, the most first, in one paragraph."""
    if found:
        shown = ", ".join(f"{one_line(name)} {count(size)}" for name, size in list(found.items())[:_WORDS])
        more = f" and {len(found) - _WORDS} more" if len(found) > _WORDS else ""
        console.print()
        console.print(Text(f"{words}: {shown}{more}"), highlight=False)


def _quantiles(scores: Sequence[Mapping[str, Any]], console: Console) -> None:
    table = _table("score", "rows", *(words for _, words in QUANTILES))
    add_words(table, "taken")
    for score in scores:
        values, decimals = sorted(all_values(score)), decimals_of(score)
        cells = [f"{quantile(values, share):,.{decimals}f}" for share, _ in QUANTILES]
        lines = taken_words(score["limits"])
        size = score["kept"]["n"] + score["dropped"]["n"]
        table.add_row(Text(one_line(score["name"])), count(size), *cells, Text(one_line(lines), "dim"))
    print_block(console, table)


def _nearest(score: Mapping[str, Any], limit: Mapping[str, Any], console: Console) -> None:
    """The texts nearest to a line on both of its sides."""
    sides = [("kept", limit["kept"][:_NEAREST]), ("dropped", limit["dropped"][:_NEAREST])]
    # A line that refused nothing may be far from all texts; the table above says so.
    if not sides[1][1]:
        return
    decimals = _decimals(score, limit, [one["score"] for _, examples in sides for one in examples])
    # In the order of the value, from those that pass to those that do not.
    sign = -1 if limit["refused"] == "below" else 1
    ordered = [(side, one) for side, some in sides for one in sorted(some, key=lambda one: sign * one["score"])]
    rows = [
        (f"  {side}", number(one["score"], decimals), _short(_name(one)), one_line(one["text"]))
        for side, one in ordered
    ]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(3)]
    room = max(console.width - sum(widths) - 6, 8)
    console.print()
    heading = one_line(f"nearest to {score['name']} {limit_words(limit)}")
    console.print(Text(heading, "bold"), highlight=False)
    for side, value, name, text in rows:
        line = Text(
            f"{set_cell_size(side, widths[0])}  {value.rjust(widths[1])}  {set_cell_size(name, widths[2])}  "
        )
        excerpt = Text(text, "dim")
        excerpt.truncate(room, overflow="ellipsis")
        console.print(line + excerpt, highlight=False, no_wrap=True)


def _decimals(score: Mapping[str, Any], limit: Mapping[str, Any], values: Sequence[float]) -> int:
    """Digits that tell the values from the line."""
    usual = decimals_of(score)
    line = limit["value"]
    is_beside = any(value != line and round(value, usual) == round(line, usual) for value in values)
    return usual + 2 if usual and is_beside else usual


def _name(one: Mapping[str, Any]) -> str:
    return "" if one["id"] is None else one_line(one["id"])


def _short(name: str) -> str:
    """A name whose end tells the row, without its beginning."""
    return name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"


def _table(first: str, *heads: str) -> Table:
    table = new_table()
    add_words(table, first)
    add_numbers(table, *heads)
    return table
