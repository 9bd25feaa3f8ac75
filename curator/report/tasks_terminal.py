"""Answers to a sample of an evaluation, the reference's and a candidate's, and how much a score moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import print_line, print_warnings
from curator.report.format import DASH, count, interval, number, one_line, percentage, signed, spread
from curator.report.terminal_tables import NAME_WIDTH, add_numbers, add_words, new_table, print_block

Row = Mapping[str, Any]


def print_tasks(found: Row, console: Console) -> None:
    """Print how both models answered."""
    console.print()
    reference = one_line(found["reference"])
    print_line(console, f"Answers of up to {count(found['max_new'])} tokens, {reference} and candidate", "bold")
    table = new_table()
    add_words(table, "task", max_width=NAME_WIDTH)
    add_numbers(table, "items", f"{reference} %", "now %", "flips", "p", "length")
    tasks = list(found["by_task"].items())
    for name, row in [*tasks, ("all", found["all"])] if len(tasks) > 1 else tasks:
        table.add_row(Text(one_line(name)), *(Text(cell) for cell in _cells(row)))
    print_block(console, table)
    every = found["all"]
    change, ends = every["difference"]["mean"], every["difference"]["ci"]
    points = interval(None if ends is None else [100 * end for end in ends], 1)
    print_line(console, f"change {signed(100 * change, 1)} points {points}".removesuffix(f" {DASH}"))
    print_line(
        console,
        "flips: right to wrong / wrong to right; p: McNemar's exact test; length: of answers, as a ratio",
    )
    for name, key in (("cut", "cut"), ("in circles", "loops")):
        sides = (percentage(every[side][key]["mean"]) for side in ("reference", "candidate"))
        print_line(console, f"answers {name}, {reference} and candidate: {', '.join(sides)} %")
    chance = found.get("chance")
    if isinstance(chance, Mapping):
        low, high = (percentage(end) for end in chance["ci"])
        print_line(
            console,
            f"chance that {count(chance['items'])} such items score {percentage(chance['threshold'])} % or more: "
            f"{percentage(chance['chance'])} % [{low}, {high}]",
            "bold",
        )
    print_warnings(console, found.get("warnings"))


def _cells(row: Row) -> list[str]:
    flips = row["flips"]
    return [
        count(row["items"]),
        percentage(row["reference"]["score"]["mean"]),
        percentage(row["candidate"]["score"]["mean"]),
        f"{flips['right_to_wrong']}/{flips['wrong_to_right']}",
        number(flips["p"], 2),
        f"x{number(row['length_ratio']['mean'], 2)}",
    ]


def print_jitter(lines: Sequence[Row], console: Console) -> None:
    """Print how much the numbers moved from run to run."""
    if not lines:
        return
    runs = count(lines[0]["runs"])
    restart = lines[0]["how"] == "restart"
    how = f"{runs} starts of the server" if restart else f"{runs} runs of one model that stayed"
    console.print()
    print_line(console, f"The same measurement again: {how}", "bold")
    table = new_table()
    add_words(table, "phase")
    add_numbers(table, "batch", "SD of KL", "SD of top-1", "flips %", "moved %")
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
    if not restart:
        print_line(console, "only whether the same arithmetic repeats: new starts need --serve sglang", "dim")
    print_line(console, "SD of one run's mean; a difference of two candidates moves 1.4 times as much", "dim")
    print_line(console, "flips: tokens whose top-1 agrees in some runs only; moved: whose KL differs", "dim")
