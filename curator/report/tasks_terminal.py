"""Answers to a sample of an evaluation, BF16 beside a candidate, and how much a score moves, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import NAME_WIDTH, new_table, print_block, print_line
from curator.report.format import DASH, count, interval, number, one_line, percentage, spread

Row = Mapping[str, Any]


def print_tasks(found: Row, console: Console) -> None:
    """Print how both models answered."""
    console.print()
    print_line(console, f"Answers of up to {count(found['max_new'])} tokens, BF16 -> candidate", "bold")
    table = new_table()
    table.add_column("task", overflow="fold", max_width=NAME_WIDTH)
    for name in ("items", "score %", "difference [95 %]", "flips", "p", "length", "cut %", "loops %"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = (
        [*found["by_task"].items(), ("all", found["all"])]
        if len(found["by_task"]) > 1
        else [("all", found["all"])]
    )
    for name, row in rows:
        table.add_row(Text(one_line(name)), *(Text(cell) for cell in _cells(row)))
    print_block(console, table)
    print_line(console, "flips: right to wrong / wrong to right; p: McNemar's exact test", "dim")
    chance = found.get("chance")
    if isinstance(chance, Mapping):
        low, high = (percentage(end) for end in chance["ci"])
        print_line(
            console,
            f"chance that {count(chance['items'])} such items score {percentage(chance['threshold'])} % or more: "
            f"{percentage(chance['chance'])} % [{low}, {high}]",
            "bold",
        )


def _cells(row: Row) -> list[str]:
    before, after, flips = row["bf16"], row["candidate"], row["flips"]
    difference, ratio = row["difference"], row["length_ratio"]
    scaled = None if difference["ci"] is None else [100 * end for end in difference["ci"]]
    return [
        count(row["items"]),
        f"{percentage(before['score']['mean'])} -> {percentage(after['score']['mean'])}",
        f"{number(100 * difference['mean'], 1)} {interval(scaled, 1)}".removesuffix(f" {DASH}"),
        f"{flips['right_to_wrong']} / {flips['wrong_to_right']}",
        number(flips["p"], 2),
        f"x {number(ratio['mean'], 2)}",
        f"{percentage(before['cut']['mean'])} -> {percentage(after['cut']['mean'])}",
        f"{percentage(before['loops']['mean'])} -> {percentage(after['loops']['mean'])}",
    ]


def print_jitter(lines: Sequence[Row], console: Console) -> None:
    """Print how much the numbers moved from run to run."""
    if not lines:
        return
    how = "new starts of the server" if lines[0]["how"] == "restart" else "runs"
    console.print()
    print_line(console, f"The same measurement again: {count(lines[0]['runs'])} {how}", "bold")
    table = new_table()
    for name, side in (
        ("phase", "left"),
        ("batch", "right"),
        ("SD of mean KL", "right"),
        ("SD of top-1", "right"),
    ):
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=True)
    for name in ("tokens that flip %", "tokens that move %"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        cells = [
            one_line(line["phase"]),
            count(line["batch_size"]),
            spread(line["kl_sd"]),
            spread(line["top1_sd"]),
            percentage(line["flips"], 2),
            percentage(line["moved"], 2),
        ]
        table.add_row(*(Text(cell) for cell in cells))
    print_block(console, table)
    print_line(console, "of one run; the difference of two candidates moves 1.4 times as much", "dim")
