"""Held-out prompts on a terminal: what was frozen, and what came of each cell of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report.format import count, one_line

_NUMBERS = ("prompt tokens", "median", "answer", "wanted", "got")


def print_heldout(result: Mapping[str, Any], console: Console) -> None:
    """Print what `curate heldout` did, as its JSON has it."""
    if result.get("cells"):
        console.print(_table(result["cells"]))
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
    table = Table("task", "language", *_NUMBERS, box=None, pad_edge=False)
    for column in table.columns[2:]:
        column.justify, column.no_wrap = "right", True
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
    if any(row["shortened"] for row in rows):
        table.caption = "* shortened"
    return table
