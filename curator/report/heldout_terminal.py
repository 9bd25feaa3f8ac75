"""Held-out prompts on a terminal: what was frozen, and what came of each cell of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._terminal_parts import print_line
from curator.report.format import count, one_line
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_table

_NUMBERS = ("prompt tokens", "median", "answer", "wanted", "got")


def print_heldout(result: Mapping[str, Any], console: Console) -> None:
    """Print what `curate heldout` did, as its JSON has it."""
    if result.get("cells"):
        print_table(console, _table(result["cells"]))
        if any(row["shortened"] for row in result["cells"]):
            print_line(console, "* shortened", "dim")
        for row in result["cells"]:
            if row["got"] < row["wanted"]:
                words = f"missing: {row['cell']}: {row['got']} of {row['wanted']}: {row['missing']}"
                console.print(one_line(words), markup=False, soft_wrap=True, style="yellow")
        for note in result["notes"]:
            console.print(f"note: {note}", markup=False, soft_wrap=True)
    counts = ", ".join(f"{number} {one_line(task)}" for task, number in result["by_task"].items())
    console.print(
        f"{result['out']}: {result['prompts']} prompts ({counts}), {result['sha256']}",
        markup=False,
        soft_wrap=True,
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    table = new_table()
    add_words(table, "task", "language")
    add_numbers(table, *_NUMBERS)
    for row in rows:
        answer = row["output_tokens"]
        table.add_row(
            Text(one_line(row["task"])),
            Text(row["language"]),
            f"{count(row['low'])}-{count(row['high'])}" + ("*" if row["shortened"] else ""),
            count(row["median_tokens"]) if row["got"] else "",
            "" if answer is None else count(answer),
            count(row["wanted"]),
            Text(count(row["got"]), style="" if row["got"] >= row["wanted"] else "yellow"),
        )
    return table
