"""Results on a terminal or in a pipe: plain text that wraps, colour only where a word already says the same.

Names come from recipes, so everything is printed as ``Text``: neither markup nor control characters in a name
act on the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._build_facts import build_facts
from curator.report._ranking_tables import by_count, kl_decimals
from curator.report._set_tables import shares_table, shortfall_table
from curator.report._tables import of
from curator.report._terminal_pairs import verdict_lines
from curator.report._terminal_parts import (
    NAME_WIDTH,
    fits,
    new_table,
    print_block,
    print_facts,
    print_item,
    print_limits,
    print_line,
    print_warnings,
)
from curator.report._verdicts import arms_of, is_null, rank_ranges
from curator.report.format import (
    DASH,
    count,
    interval,
    kl,
    number,
    one_line,
    percentage,
)

_NAME_WIDTHS = (NAME_WIDTH, 24, 18)  # the widest that fits is taken; longer names fold


def print_ranking(ranking: Mapping[str, Any], console: Console) -> None:
    """Print a ranking: the primary number, the arms, the verdicts, and what limits them.

    Args:
        ranking: the document that the ranking step writes.
        console: where to print; its width decides whether tasks stand beside the arms or in a table below.
    """
    statement = of(ranking, "primary", "statement")
    if statement:
        print_line(console, one_line(statement))
    tasks = _tasks(ranking)
    if not arms_of(ranking):
        print_line(console, "No arm has been measured.")
        return print_warnings(console, ranking.get("warnings"))
    wide = [table for width in _NAME_WIDTHS if fits(table := _arms_table(ranking, tasks, width), console)]
    print_block(console, wide[0] if wide else _arms_table(ranking, ()))
    if any("-" in rank for rank in rank_ranges(ranking).values()):
        print_line(console, "A rank such as 1-2 holds the places that the verdicts leave open.", "dim")
    if tasks and not wide:
        _task_tables(console, ranking, tasks)
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


def _tasks(ranking: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(task for arm in arms_of(ranking) for task in arm.get("by_task") or {}))


def _arms_table(ranking: Mapping[str, Any], tasks: Sequence[str], width: int = NAME_WIDTH) -> Table:
    """The arms; task columns only as far as ``tasks`` names them."""
    decimals, ends = kl_decimals(ranking)
    ranks = rank_ranges(ranking)
    arms = arms_of(ranking)
    other = next((scheme for arm in arms if (scheme := of(arm, "other_scheme", "scheme"))), None)

    def mean(arm: Mapping[str, Any]) -> str:
        ci = interval(arm.get("kl_ci"), ends)
        return kl(arm.get("kl_mean"), decimals) + ("" if ci == DASH else f" {ci}")

    columns: list[tuple[str, Callable[[Mapping[str, Any]], str]]] = [
        (f"{of(ranking, 'primary', 'scheme') or ''} KL [95 %]".strip(), mean),
        *([(f"{other} KL", lambda arm: kl(of(arm, "other_scheme", "kl_mean"), decimals))] if other else []),
        ("top-1 %", lambda arm: percentage(arm.get("top1"))),
        ("cosine", lambda arm: number(arm.get("cosine"), 3)),
        *((one_line(task), _task_kl(task, decimals)) for task in tasks),
        ("draws", lambda arm: count(arm.get("draws"))),
    ]
    table = new_table()
    table.add_column("rank", no_wrap=True)
    table.add_column("arm", overflow="fold", max_width=width, min_width=8)
    for head, _ in columns:
        table.add_column(Text(_stacked(head)), justify="right", no_wrap=True, vertical="top")
    cells = {id(arm): [Text(cell(arm)) for _, cell in columns] for arm in arms}
    _add_arms(table, arms, lambda arm: [ranks.get(arm["name"], ""), arm["name"]], cells)
    return table


def _stacked(head: str) -> str:
    """A scheme's head over two lines, as its numbers are narrower than it."""
    return head.replace(" KL", "\nKL") if head.endswith(" KL") else head


def _task_kl(task: str, decimals: int) -> Callable[[Mapping[str, Any]], str]:
    return lambda arm: kl(of(arm, "by_task", task, "kl_mean"), decimals)


def _add_arms(
    table: Table,
    arms: Sequence[Mapping[str, Any]],
    lead: Callable[[Mapping[str, Any]], list[str]],
    cells: Mapping[int, list[Text]],
) -> None:
    """Rows of the user's arms, then the null arms under a line that says so."""
    for index, arm in enumerate(arms):
        null = is_null(arm)
        if null and (index == 0 or not is_null(arms[index - 1])):
            first = len(lead(arm)) - 1
            table.add_row(*[""] * first, Text("null arms:", "dim"))
        table.add_row(*(Text(one_line(part)) for part in lead(arm)), *cells[id(arm)], style="dim" if null else "")


def _task_tables(console: Console, ranking: Mapping[str, Any], tasks: Sequence[str]) -> None:
    """KL by task below the arms, in as many tables as the width needs."""
    console.print()
    print_line(console, "KL by task (exploratory)", "bold")
    left = list(tasks)
    while left:
        size = len(left)
        while size > 1 and not fits(_task_table(ranking, left[:size]), console):
            size -= 1
        console.print(_task_table(ranking, left[:size]), highlight=False)
        left = left[size:]


def _task_table(ranking: Mapping[str, Any], tasks: Sequence[str]) -> Table:
    decimals, _ = kl_decimals(ranking)
    arms = arms_of(ranking)
    table = new_table()
    table.add_column("arm", overflow="fold", max_width=NAME_WIDTH, min_width=8)
    for task in tasks:
        table.add_column(Text(one_line(task)), justify="right", no_wrap=True)
    cells = {id(arm): [Text(_task_kl(task, decimals)(arm)) for task in tasks] for arm in arms}
    _add_arms(table, arms, lambda arm: [arm["name"]], cells)
    return table


__all__ = ["print_build", "print_ranking"]
