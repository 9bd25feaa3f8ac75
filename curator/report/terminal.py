"""Results on a terminal or in a pipe: plain text that wraps, colour only where a word already says the same.

Names come from recipes, so everything is printed as ``Text``: neither markup nor control characters in a name
act on the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from curator.report._build_facts import build_facts
from curator.report._ranking_tables import by_count, kl_decimals
from curator.report._set_tables import shares_table, shortfall_table
from curator.report._tables import of
from curator.report._terminal_pairs import verdict_lines
from curator.report._verdicts import arms_of, detectable, floors, is_null, may_be_best, rank_ranges
from curator.report.format import (
    DASH,
    count,
    decimals_for,
    interval,
    is_number,
    kl,
    number,
    one_line,
    percent,
    percentage,
)

_NAME_WIDTHS = (30, 24, 18)  # the widest that fits is taken; longer names fold
_NAME_WIDTH = _NAME_WIDTHS[0]


def print_ranking(ranking: Mapping[str, Any], console: Console) -> None:
    """Print a ranking: the primary number, the arms, the verdicts, and what limits them.

    Args:
        ranking: the document that the ranking step writes.
        console: where to print; its width decides whether tasks stand beside the arms or in a table below.
    """
    statement = of(ranking, "primary", "statement")
    if statement:
        _line(console, one_line(statement))
    tasks = _tasks(ranking)
    if not arms_of(ranking):
        _line(console, "No arm has been measured.")
        return _warnings(console, ranking.get("warnings"))
    wide = [table for width in _NAME_WIDTHS if _fits(table := _arms_table(ranking, tasks, width), console)]
    _block(console, wide[0] if wide else _arms_table(ranking, ()))
    if any("-" in rank for rank in rank_ranges(ranking).values()):
        _line(console, "A rank such as 1-2 holds the places that the verdicts leave open.", "dim")
    if tasks and not wide:
        _task_tables(console, ranking, tasks)
    for heading, lines in verdict_lines(ranking):
        console.print()
        _line(console, heading, "bold")
        for line in lines:
            _item(console, line)
    if ranking.get("pairs"):
        console.print()
        _line(
            console, "Intervals of differences are simultaneous and exclude 0 exactly where Holm separates.", "dim"
        )
    _limits(console, ranking)
    _warnings(console, ranking.get("warnings"))


def print_build(summary: Mapping[str, Any], console: Console) -> None:
    """Print what a build made: size, shares asked and got, drops, hash, place."""
    if summary.get("name"):
        _line(console, f"Calibration set {one_line(summary['name'])}", "bold")
    _facts(console, build_facts(summary))
    shares = shares_table(summary, _table())
    if shares:
        _block(console, shares)
    if summary.get("shortfall"):
        _block(console, shortfall_table(summary["shortfall"], _table()))
    reasons = by_count(summary.get("dropped"))
    if reasons:
        console.print()
        _line(console, "Dropped, by reason", "bold")
        first = summary.get("first_dropped") or {}
        _facts(
            console,
            [
                (one_line(reason), f"{count(size)}  {one_line(first[reason])}" if reason in first else count(size))
                for reason, size in reasons
            ],
        )
    _warnings(console, summary.get("warnings"))


def print_score(score: Mapping[str, Any], console: Console) -> None:
    """Print how far one candidate is from the baseline, in nats a token."""
    about = [one_line(score[key]) for key in ("scheme", "estimator", "conditions") if score.get(key)]
    _line(console, "KL(BF16 || candidate), nats a token" + "".join(f", {part}" for part in about), "bold")
    facts = [
        ("mean KL", _with_interval(score, decimals_for([score.get("kl_mean")]))),
        ("lower bound", kl(score.get("kl_lower_bound"))),
        ("p99 KL", kl(score.get("kl_p99"))),
        ("top-1", percent(score.get("top1"))),
        ("cosine", number(score.get("cosine"), 4)),
    ]
    facts += [
        ("floor", f"{kl(floor['kl'])}  {one_line(floor.get('words') or '')}".rstrip())
        for floor in (score.get("floors") or {}).values()
        if isinstance(floor, Mapping) and is_number(floor.get("kl"))
    ]
    _facts(console, [(name, value) for name, value in facts if value != DASH])
    tasks = score.get("by_task") or {}
    if tasks:
        table = _table()
        table.add_column("task", overflow="fold", max_width=_NAME_WIDTH)
        for head in ("mean KL", "top-1 %", "cosine"):
            table.add_column(head, justify="right", no_wrap=True)
        decimals = decimals_for(row.get("kl_mean") for row in tasks.values())
        for task, row in tasks.items():
            cells = [
                _with_interval(row, decimals, ""),
                percentage(row.get("top1")),
                number(row.get("cosine"), 3),
            ]
            table.add_row(Text(one_line(task)), *map(Text, cells))
        _block(console, table)
    _limits(console, score)
    _warnings(console, score.get("warnings"))


def _with_interval(row: Mapping[str, Any], decimals: int, words: str = "  95 % interval") -> str:
    mean, ends = kl(row.get("kl_mean"), decimals), interval(row.get("kl_ci"), decimals)
    return mean if ends == DASH else f"{mean}{words} {ends}"


def _tasks(ranking: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(task for arm in arms_of(ranking) for task in arm.get("by_task") or {}))


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")


def _arms_table(ranking: Mapping[str, Any], tasks: Sequence[str], width: int = _NAME_WIDTH) -> Table:
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
    table = _table()
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
    _line(console, "KL by task (exploratory)", "bold")
    left = list(tasks)
    while left:
        size = len(left)
        while size > 1 and not _fits(_task_table(ranking, left[:size]), console):
            size -= 1
        console.print(_task_table(ranking, left[:size]), highlight=False)
        left = left[size:]


def _task_table(ranking: Mapping[str, Any], tasks: Sequence[str]) -> Table:
    decimals, _ = kl_decimals(ranking)
    arms = arms_of(ranking)
    table = _table()
    table.add_column("arm", overflow="fold", max_width=_NAME_WIDTH, min_width=8)
    for task in tasks:
        table.add_column(Text(one_line(task)), justify="right", no_wrap=True)
    cells = {id(arm): [Text(_task_kl(task, decimals)(arm)) for task in tasks] for arm in arms}
    _add_arms(table, arms, lambda arm: [arm["name"]], cells)
    return table


def _limits(console: Console, document: Mapping[str, Any]) -> None:
    """Floors, the smallest detectable difference, and the arms that may be the best."""
    rows = floors(document)
    if rows:
        console.print()
        _line(console, "Noise floors (SD of mean KL)", "bold")
        _facts(console, [(name, f"{sd}  {words}".rstrip()) for name, sd, words in rows])
    sentences = [sentence for sentence in (detectable(document), may_be_best(document)) if sentence]
    if sentences:
        console.print()
    for sentence in sentences:
        _line(console, sentence)


def _warnings(console: Console, warnings: object) -> None:
    texts = list(warnings) if isinstance(warnings, Sequence) and not isinstance(warnings, str) else []
    if texts:
        console.print()
    for text in texts:
        _item(console, Text(one_line(text)), lead="warning:", style="yellow")


def _facts(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(Text(f"  {name}"), Text(value))
    if facts:
        console.print(grid, highlight=False)


def _item(console: Console, text: Text, lead: str = " ", style: str = "") -> None:
    """A paragraph with a hanging indent."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(lead, style), text)
    console.print(grid, highlight=False)


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), highlight=False, overflow="fold")


def _block(console: Console, renderable: RenderableType) -> None:
    console.print()
    console.print(renderable, highlight=False)


def _fits(table: Table, console: Console) -> bool:
    wide = console.options.update(width=10_000)
    return Measurement.get(console, wide, table).maximum <= console.width


__all__ = ["print_build", "print_ranking", "print_score"]
