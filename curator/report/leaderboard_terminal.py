"""A leaderboard on a terminal: one table a group of runs that were measured alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._terminal_parts import print_item, print_line, print_warnings
from curator.report.format import count, decimals_for, interval, interval_decimals, kl, listing, one_line
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_block

_PAIRS = 6


def print_leaderboard(board: Mapping[str, Any], console: Console) -> None:
    """Print what `curate leaderboard` found, as its JSON has it.

    Args:
        board: of `leaderboard`.
        console: where to print.
    """
    for number, group in enumerate(board["groups"]):
        if number:
            console.print()
        print_line(console, conditions_line(group), "bold")
        runs = group["runs"]
        print_line(
            console, f"{len(runs)} run{'s' if len(runs) > 1 else ''}: {listing(map(one_line, runs))}", "dim"
        )
        if group["arms"]:
            print_block(console, _table(group))
        for line in sentences(group):
            print_line(console, line)
        print_warnings(console, group["warnings"])
    _others(board, console)


def conditions_line(group: Mapping[str, Any]) -> str:
    """What a group's number is of, in a line."""
    told = group["conditions"]
    return one_line(
        f"{told['model']}, {told['scheme']} {told['phase']}, batch {told['batch_size']}, "
        f"{told['prompts']} prompts x {told['tokens_per_prompt']} tokens, {told['estimator']}, {told['dtype']}"
    )


def rank_words(arm: Mapping[str, Any]) -> str:
    """``1``, or ``1-3`` where the verdicts leave these places open; nothing for a null arm."""
    if arm["rank"] is None:
        return ""
    first, last = arm["rank"]
    return str(first) if first == last else f"{first}-{last}"


def sentences(group: Mapping[str, Any]) -> list[str]:
    """Who may be the best, and what difference could have been seen."""
    users = [arm for arm in group["arms"] if arm["kind"] == "user"]
    best = [one_line(arm["name"]) for arm in users if arm["may_be_best"]]
    lines = [f"May be the best: {listing(best)} ({len(best)} of {len(users)} arms)."] if best else []
    if group["smallest_detectable"] is not None:
        seen = kl(group["smallest_detectable"])
        lines.append(f"Smallest detectable difference: {seen} nats a token (80 % power after Holm).")
    return lines


def _table(group: Mapping[str, Any]) -> Table:
    arms = group["arms"]
    decimals = decimals_for([arm["kl_mean"] for arm in arms])
    ends = interval_decimals([arm["kl_ci"] for arm in arms], decimals)
    table = new_table()
    table.add_column("rank", no_wrap=True)
    add_words(table, "arm", "method")
    add_numbers(table, "KL [95 %]", "draws")
    for place, arm in enumerate(arms):
        null = arm["kind"] == "null"
        if null and (place == 0 or arms[place - 1]["kind"] != "null"):
            table.add_row("", Text("null arms:", "dim"))
        again = f" (again in {listing(map(one_line, arm['again_in']))})" if arm["again_in"] else ""
        table.add_row(
            rank_words(arm),
            Text(one_line(arm["name"]) + again),
            Text(one_line(arm["method"])),
            f"{kl(arm['kl_mean'], decimals)} {interval(arm['kl_ci'], ends)}",
            count(arm["draws"]),
            style="dim" if null else "",
        )
    return table


def _others(board: Mapping[str, Any], console: Console) -> None:
    if board["apart"]:
        console.print()
        print_line(console, "Not one table, because they were not measured alike:", "bold")
    for apart in board["apart"]:
        print_item(console, Text(one_line(f"{apart['first']} and {apart['second']}: {apart['why']}")))
    if board["skipped"]:
        console.print()
        print_line(console, "Left out:", "bold")
    for skipped in board["skipped"]:
        print_item(console, Text(one_line(skipped["why"])))
