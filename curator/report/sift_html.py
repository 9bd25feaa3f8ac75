"""What was sifted as one HTML file: reasons, every score with the recipe's lines, and texts next to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.report._examples import EXCERPT, example
from curator.report._tables import Column, Table, table
from curator.report._templates import render
from curator.report.format import DASH, count, percent, percentage
from curator.report.score_plots import score_plots

_SHOWN = 40


def sift_html(document: Mapping[str, Any]) -> str:
    """The page of what was sifted.

    Args:
        document: as `print_sift` takes it.
    """
    return render(
        "sift.html.j2",
        name=document.get("name") or "rows",
        warnings=document.get("warnings") or [],
        facts=_facts(document),
        tables=_tables(document),
        plots=score_plots(document["scores"]),
        dropped=_dropped(document),
        excerpt=EXCERPT,
    )


def _facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = document["rows"]
    return [
        ("Rows", count(rows)),
        ("Kept", count(document["kept"])),
        ("Dropped", count(document["dropped"])),
        ("Kept of all", percent(document["kept"] / rows) if rows else DASH),
        *([("Kept before", count(document["before"]["kept"]))] if document.get("before") else []),
    ]


def _dropped(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first texts refused for each reason, the most frequent reason first."""
    found = document.get("examples") or {}
    return [
        {
            "reason": reason,
            "total": count(size),
            "entries": [example(entry, (entry["id"], entry["detail"])) for entry in found[reason]],
        }
        for reason, size in document["by_reason"].items()
        if found.get(reason)
    ]


def _tables(document: Mapping[str, Any]) -> list[tuple[str, Table]]:
    before, rows = document.get("before") or {}, document["rows"]
    now, old = document["by_reason"], before.get("by_reason") or {}
    reasons = table(
        [
            Column("Reason", lambda reason: reason, "name"),
            *([Column("Before", lambda reason: count(old.get(reason, 0)))] if before else []),
            Column("Now" if before else "Rows", lambda reason: count(now.get(reason, 0))),
            Column("% of all", lambda reason: percentage(now.get(reason, 0) / rows)),
        ],
        list(dict.fromkeys([*now, *old])),
    )
    was = before.get("by_task") or {}
    tasks = table(
        [
            Column("Task", lambda row: row[0], "name"),
            *(
                [Column("Kept before", lambda row: count((was.get(row[0]) or {}).get("kept", 0)))]
                if before
                else []
            ),
            Column("Kept now" if before else "Kept", lambda row: count(row[1]["kept"])),
            Column("Dropped now" if before else "Dropped", lambda row: count(row[1]["dropped"])),
        ],
        list(document["by_task"].items()),
    )
    languages = _counts("Language", document["words"].get("language") or {})
    leakage = _counts("Evaluation item", document.get("leakage") or {})
    named = [
        ("Dropped, by reason", reasons),
        ("Tasks", tasks),
        ("Languages found", languages),
        ("Text of evaluation items", leakage),
    ]
    return [(heading, made) for heading, made in named if made is not None]


def _counts(head: str, counts: Mapping[str, int]) -> Table | None:
    columns = [
        Column(head, lambda row: row[0], "name"),
        Column("Rows", lambda row: count(row[1])),
    ]
    return table(columns, list(counts.items())[:_SHOWN])
