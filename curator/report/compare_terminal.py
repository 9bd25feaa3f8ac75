"""Two recipes, sets or runs on a terminal: the verdict first, then what differs, most of it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import print_item, print_line, print_warnings
from curator.report.format import count, decimals_for, number, one_line, percent, signed

# Lines below one heading.
_SHOWN = 20
_ROWS = 6


def print_comparison(result: Mapping[str, Any], console: Console) -> None:
    """Print what `curate compare` found, as its JSON has it.

    Args:
        result: of `compare_things`.
        console: where to print.
    """
    print_line(console, one_line(result["verdict"]), "bold")
    for heading, changes in result["differences"].items():
        _block(console, heading, (change["words"] for change in changes))
    for part, table in (result.get("composition") or {}).items():
        rows = [row for row in table["rows"] if row["first"] != row["second"]]
        title = f"tokens by {part} ({percent(table['moved'])} differ)"
        _block(console, title, (_row(row) for row in rows), _ROWS)
    _block(console, "in both", _overlap(result.get("overlap") or {}))
    shift = result.get("embedding")
    if shift:
        _block(console, f"meaning ({shift['embedder']}, {shift['unit']})", [shift["words"]])
    for pair in result.get("pairs", []):
        _block(console, f"KL of {pair['name']}", [pair["words"], *_tasks(pair["by_task"])])
    print_warnings(console, result["warnings"])


def _block(console: Console, heading: str, lines: Iterable[str], most: int = _SHOWN) -> None:
    told = [one_line(line) for line in lines]
    if not told:
        return
    print_line(console, one_line(heading), "bold")
    for line in told[:most]:
        print_item(console, Text(line))
    if len(told) > most:
        print_item(console, Text(f"... and {len(told) - most} more; --json has them all"))


def _row(row: Mapping[str, Any]) -> str:
    return f"{row['name']}: {_side(row['first'])} -> {_side(row['second'])}"


def _side(side: Mapping[str, Any]) -> str:
    if not side["pieces"]:
        return "none"
    pieces = f"{count(side['pieces'])} piece{'s' if side['pieces'] > 1 else ''}"
    return f"{percent(side['share'])} ({count(side['tokens'])} tokens, {pieces})"


def _overlap(found: Mapping[str, Any]) -> list[str]:
    lines = []
    documents, text = found.get("documents"), found.get("text")
    if documents:
        of = f"{count(documents['both'])} of {count(documents['first'])} and {count(documents['second'])}"
        tokens = [percent(documents[f"{side}_tokens"]) for side in ("first", "second")]
        lines.append(f"documents: {of}, {tokens[0]} of the first's tokens, {tokens[1]} of the second's")
    if text:
        lines.append(
            f"text: {percent(text['first'])} of the first's runs of five words are in the second, "
            f"{percent(text['second'])} of the second's in the first"
        )
    if found.get("rows"):
        lines.append(f"sequences: {count(found['rows'])} are the same token ids")
    return lines


def _tasks(by_task: Mapping[str, Any]) -> list[str]:
    if len(by_task) < 2:
        return []
    decimals = decimals_for([one["diff"] for one in by_task.values()], significant=2)
    lines = []
    for task, one in by_task.items():
        means = [number(one[f"mean_{side}"], decimals) for side in ("first", "second")]
        low, high = (signed(end, decimals) for end in one["ci"])
        diff = signed(one["diff"], decimals)
        lines.append(f"{task}: {means[0]} -> {means[1]}, first minus second {diff}, [{low}, {high}] for it alone")
    return lines
