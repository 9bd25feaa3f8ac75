"""One candidate's distance from the baseline on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._terminal_parts import (
    NAME_WIDTH,
    new_table,
    print_block,
    print_facts,
    print_limits,
    print_line,
    print_warnings,
)
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


def print_score(score: Mapping[str, Any], console: Console) -> None:
    """Print how far one candidate is from the baseline, in nats a token."""
    about = [one_line(score[key]) for key in ("scheme", "estimator", "conditions") if score.get(key)]
    print_line(console, "KL(BF16 || candidate), nats a token" + "".join(f", {part}" for part in about), "bold")
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
    print_facts(console, [(name, value) for name, value in facts if value != DASH])
    tasks, families = score.get("by_task") or {}, score.get("by_family") or {}
    if tasks:
        columns = (("top-1 %", _top1), ("cosine", _cosine))
        print_block(console, _score_table("task", tasks, columns))
    if families:
        print_block(console, _score_table("prompts' source", families, (("prompts", _prompts),)))
    print_limits(console, score)
    print_warnings(console, score.get("warnings"))


def _score_table(
    head: str, rows: Mapping[str, Any], columns: Sequence[tuple[str, Callable[[Mapping[str, Any]], str]]]
) -> Table:
    """Mean KL by task or by source, and further columns."""
    table = new_table()
    table.add_column(head, overflow="fold", max_width=NAME_WIDTH)
    for name in ("mean KL", *(name for name, _ in columns)):
        table.add_column(name, justify="right", no_wrap=True)
    decimals = decimals_for(row.get("kl_mean") for row in rows.values())
    for name, row in rows.items():
        cells = (_with_interval(row, decimals, ""), *(cell(row) for _, cell in columns))
        table.add_row(Text(one_line(name)), *map(Text, cells))
    return table


def _top1(row: Mapping[str, Any]) -> str:
    return percentage(row.get("top1"))


def _prompts(row: Mapping[str, Any]) -> str:
    return count(row.get("prompts"))


def _cosine(row: Mapping[str, Any]) -> str:
    return number(row.get("cosine"), 3)


def _with_interval(row: Mapping[str, Any], decimals: int, words: str = "  95 % interval") -> str:
    mean, ends = kl(row.get("kl_mean"), decimals), interval(row.get("kl_ci"), decimals)
    return mean if ends == DASH else f"{mean}{words} {ends}"
