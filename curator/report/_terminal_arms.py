"""The arms of a ranking as a table of a few lines, and their KL by task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._ranking_domains import served_best
from curator.report._ranking_tables import kl_decimals
from curator.report._tables import of
from curator.report._terminal_parts import print_line
from curator.report._verdicts import arms_of, is_null, rank_ranges
from curator.report.format import DASH, count, interval, kl, listing, number, one_line, percentage
from curator.report.terminal_tables import (
    NAME_WIDTH,
    add_numbers,
    add_words,
    fits,
    new_table,
    print_block,
    print_facts,
    print_table,
)

_ROWS = 10  # arms of a table that is read at a glance; the report has all
_NAME_WIDTHS = (NAME_WIDTH, 24, 18)  # the widest that fits is taken; longer names fold
_NAMED = 3


def print_arms(ranking: Mapping[str, Any], console: Console) -> None:
    """Print the arms with the lowest KL, and KL by task beside them or, where there is no room, below."""
    tasks, arms = _tasks(ranking), _shown(ranking)
    wide = [table for width in _NAME_WIDTHS if fits(table := _arms_table(ranking, arms, tasks, width), console)]
    print_block(console, wide[0] if wide else _arms_table(ranking, arms, ()))
    hidden = len(arms_of(ranking)) - len(arms)
    if hidden:
        print_line(console, f"{hidden} more arms, of higher KL, are in the HTML report.", "dim")
    if any("-" in rank for rank in rank_ranges(ranking).values()):
        print_line(console, "A rank such as 1-2 holds the places that the verdicts leave open.", "dim")
    if tasks and not wide:
        _task_tables(console, ranking, arms, tasks)
    served = served_best(ranking)
    if len(served) > 1:
        console.print()
        print_line(console, "Lowest on each task, or not told from it (exploratory)", "bold")
        print_facts(console, [(one_line(task), _names(names)) for task, names in served])


def _names(names: Sequence[str]) -> str:
    shown = [one_line(name) for name in names[:_NAMED]]
    return listing(shown) if len(names) <= _NAMED else f"{', '.join(shown)} and {len(names) - _NAMED} more"


def _shown(ranking: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The user's arms from the lowest KL up, and every null arm."""
    arms = arms_of(ranking)
    null = [arm for arm in arms if is_null(arm)]
    user = [arm for arm in arms if not is_null(arm)]
    return [*user[: max(1, _ROWS - len(null))], *null]


def _tasks(ranking: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(task for arm in arms_of(ranking) for task in arm.get("by_task") or {}))


def _arms_table(
    ranking: Mapping[str, Any], arms: Sequence[Mapping[str, Any]], tasks: Sequence[str], width: int = NAME_WIDTH
) -> Table:
    """Some arms; task columns only as far as ``tasks`` names them."""
    decimals, ends = kl_decimals(ranking)
    ranks = rank_ranges(ranking)
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
        ("draws", _draws),
    ]
    table = new_table()
    table.add_column("rank", no_wrap=True)
    add_words(table, "arm", max_width=width)
    add_numbers(table, *(_stacked(head) for head, _ in columns))
    cells = {id(arm): [Text(cell(arm)) for _, cell in columns] for arm in arms}
    _add_arms(table, arms, lambda arm: [ranks.get(arm["name"], ""), arm["name"]], cells)
    return table


def _draws(arm: Mapping[str, Any]) -> str:
    """Draws of an arm, and whether it got no more of them because another is better."""
    return f"{count(arm.get('draws'))}{' dropped' if arm.get('dropped') else ''}"


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


def _task_tables(
    console: Console, ranking: Mapping[str, Any], arms: Sequence[Mapping[str, Any]], tasks: Sequence[str]
) -> None:
    """KL by task below the arms, in as many tables as the width needs."""
    console.print()
    print_line(console, "KL by task (exploratory)", "bold")
    left = list(tasks)
    while left:
        size = len(left)
        while size > 1 and not fits(_task_table(ranking, arms, left[:size]), console):
            size -= 1
        print_table(console, _task_table(ranking, arms, left[:size]))
        left = left[size:]


def _task_table(ranking: Mapping[str, Any], arms: Sequence[Mapping[str, Any]], tasks: Sequence[str]) -> Table:
    decimals, _ = kl_decimals(ranking)
    table = new_table()
    add_words(table, "arm", max_width=NAME_WIDTH)
    add_numbers(table, *map(one_line, tasks))
    cells = {id(arm): [Text(_task_kl(task, decimals)(arm)) for task in tasks] for arm in arms}
    _add_arms(table, arms, lambda arm: [arm["name"]], cells)
    return table
