"""Results on a terminal or in a pipe: plain text that wraps, colour only where a word already says the same.

Names come from recipes, so everything is printed as ``Text``: neither markup nor control characters in a name
act on the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from curator.report._build_facts import build_facts
from curator.report._ranking_tables import by_count
from curator.report._set_tables import shares_table, shortfall_table
from curator.report._tables import of
from curator.report._terminal_arms import print_arms
from curator.report._terminal_pairs import verdict_lines
from curator.report._terminal_parts import print_item, print_limits, print_line, print_warnings
from curator.report._verdicts import arms_of, looks
from curator.report.format import count, one_line
from curator.report.terminal_tables import new_table, print_block, print_facts


def print_ranking(ranking: Mapping[str, Any], console: Console) -> None:
    """Print a ranking: the primary number, the arms, the verdicts, and what limits them.

    Args:
        ranking: the document that the ranking step writes.
        console: where to print; its width decides whether tasks stand beside the arms or in a table below.
    """
    statement = of(ranking, "primary", "statement")
    if statement:
        print_line(console, one_line(statement))
    if not arms_of(ranking):
        print_line(console, "No arm has been measured.")
        return print_warnings(console, ranking.get("warnings"))
    print_arms(ranking, console)
    staged = looks(ranking)
    if staged:
        print_line(console, staged, "dim")
    for heading, lines in verdict_lines(ranking):
        console.print()
        print_line(console, heading, "bold")
        for line in lines:
            print_item(console, line)
    if ranking.get("pairs"):
        console.print()
        print_line(
            console, "Intervals of differences are simultaneous and exclude 0 exactly where Holm separates.", "dim"
        )
    print_limits(console, ranking)
    print_warnings(console, ranking.get("warnings"))


def print_build(summary: Mapping[str, Any], console: Console) -> None:
    """Print what a build made: size, shares asked and got, drops, hash, place."""
    if summary.get("name"):
        print_line(console, f"Calibration set {one_line(summary['name'])}", "bold")
    print_facts(console, build_facts(summary))
    shares = shares_table(summary, new_table())
    if shares:
        print_block(console, shares)
    if summary.get("shortfall"):
        print_block(console, shortfall_table(summary["shortfall"], new_table()))
    reasons = by_count(summary.get("dropped"))
    if reasons:
        console.print()
        print_line(console, "Dropped, by reason", "bold")
        first = summary.get("first_dropped") or {}
        print_facts(
            console,
            [
                (one_line(reason), f"{count(size)}  {one_line(first[reason])}" if reason in first else count(size))
                for reason, size in reasons
            ],
        )
    print_warnings(console, summary.get("warnings"))
