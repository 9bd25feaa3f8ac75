"""The results as tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def slope(rows: Sequence[dict[str, Any]]) -> float | None:
    """Of the logarithm of processor time over that of documents, by least squares: 1 where cost is linear."""
    if len(rows) < 2:
        return None
    documents, seconds = ([math.log(row[key]) for row in rows] for key in ("documents", "cpu_s"))
    return round(statistics.linear_regression(documents, seconds).slope, 3)


def print_results(results: dict[str, Any], out: Console) -> None:
    """Cost, then quality on the largest corpus."""
    cost = Table("tool", "documents", "docs/s/core", "docs/s", "CPU s", "wall s", "memory GiB", box=None)
    for row in results["runs"]:
        cost.add_row(
            row["tool"],
            f"{row['documents']:,}",
            f"{row['per_core']:,.0f}",
            f"{row['per_second']:,.0f}",
            f"{row['cpu_s']:,.0f}",
            f"{row['wall_s']:,.0f}",
            f"{row['memory_bytes'] / 2**30:.2f}",
        )
    out.print(cost)
    for tool, value in results["slopes"].items():
        out.print(f"log-log slope of processor time, {tool}: {'-' if value is None else value}")
    largest = max((row["documents"] for row in results["runs"]), default=0)
    _print_quality([row for row in results["runs"] if row["documents"] == largest], out)


def _print_quality(rows: Sequence[dict[str, Any]], out: Console) -> None:
    quality = Table("", *(row["tool"] for row in rows), box=None)
    lines = {
        "exact copies found": "exact",
        "near copies found": "near",
        "pairs with half in common taken": "unlike",
        "junk refused": "junk",
        "other languages refused": "foreign",
        "real English text refused by other steps": "real",
    }
    for words, key in lines.items():
        quality.add_row(words, *(_percent(row["judged"].get(key)) for row in rows))
        if key == "near":
            for band in rows[0]["judged"]["near_bands"] if rows else ():
                quality.add_row(
                    f"  Jaccard {band}", *(_percent(row["judged"]["near_bands"][band]) for row in rows)
                )
    quality.add_row("removed as duplicates that are (0.7 or more)", *(_percent(row["precision"]) for row in rows))
    for kind in rows[0]["judged"]["junk_kinds"] if rows else ():
        quality.add_row(kind, *(_percent(row["judged"]["junk_kinds"].get(kind)) for row in rows))
    out.print(quality)


def _percent(found: dict[str, Any] | None) -> str:
    return "-" if not found or found["share"] is None else f"{found['share']:.1%} of {found['of']:,}"
