"""What a ranking cost: seconds of each step."""

from __future__ import annotations

from typing import Any

from curator.report._tables import Column, Table, table
from curator.report._verdicts import Document
from curator.report.format import DASH, count, is_number, seconds


def cost_rows(ranking: Document) -> list[dict[str, Any]]:
    """One row a piece of work: ``step``, ``arm``, ``draw``, ``seconds``."""
    return [
        {name: row.get(name) for name in ("step", "arm", "draw", "seconds")} for row in ranking.get("cost") or []
    ]


def cost_table(ranking: Document) -> tuple[Table | None, str]:
    """Seconds by step, over all arms and draws, and the total in words."""
    timed = [row for row in cost_rows(ranking) if is_number(row["seconds"])]
    steps = dict.fromkeys(str(row["step"]) for row in timed)
    total = sum(row["seconds"] for row in timed)
    records = []
    for step in steps:
        times = [row["seconds"] for row in timed if str(row["step"]) == step]
        records.append(
            {
                "step": step,
                "times": len(times),
                "mean": sum(times) / len(times),
                "most": max(times),
                "all": sum(times),
                "share": sum(times) / total if total else None,
            }
        )
    columns = [
        Column("Step", lambda row: row["step"], "name", keep=True),
        Column("Times", lambda row: count(row["times"])),
        Column("Mean", lambda row: seconds(row["mean"])),
        Column("Longest", lambda row: seconds(row["most"])),
        Column("In all", lambda row: seconds(row["all"])),
        Column("Share %", lambda row: count(100 * row["share"]) if row["share"] is not None else DASH),
    ]
    return table(columns, records), seconds(total)
