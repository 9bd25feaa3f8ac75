"""What a build asked for, got and lacks, on a terminal and on its page."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from rich.table import Table

from curator.report._set_tables import shares_table, shortfall_table
from curator.report.set_html import set_html

MANIFEST: dict[str, Any] = {
    "name": "mix",
    "asked": {"qa": 0.4, "prose": 0.6},
    "shares": {"qa": 0.4, "prose": 0.6},
    "margins": [
        {"name": "task qa", "asked": 0.4, "got": 0.4},
        {"name": "zh", "asked": 0.3, "got": 0.25},
        {"name": "1 to 512 tokens", "asked": 0.5, "got": 0.51},
    ],
    "shortfall": [
        {
            "cell": "qa, zh",
            "asked": 1200,
            "available": 700,
            "taken": 700,
            "why": "all text is used up; refused: short 3",
            "suggestion": "generate: qa or corpus: dataset-build-chinese",
        }
    ],
    "sources": [{"corpus": "big.jsonl", "task": "qa", "bytes_read": 18_000_000, "bytes": 1_000_000_000}],
}


def lines(table: Table | None) -> list[str]:
    assert table is not None
    out = io.StringIO()
    Console(file=out, width=200).print(table)
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_languages_and_lengths_stand_below_the_tasks() -> None:
    found = lines(shares_table(MANIFEST, Table(box=None)))
    assert found[1:] == [
        "qa 40.0 40.0 0.0",
        "prose 60.0 60.0 0.0",
        "zh 30.0 25.0 -5.0 more than 2 points off",
        "1 to 512 tokens 50.0 51.0 +1.0",
    ]


def test_a_shortfall_says_what_why_and_where_more_is() -> None:
    (_, row) = lines(shortfall_table(MANIFEST["shortfall"], Table(box=None)))
    assert row == (
        "qa, zh 1,200 700 700 all text is used up; refused: short 3; "
        "try generate: qa or corpus: dataset-build-chinese"
    )


def test_the_page_has_both_and_how_much_was_read() -> None:
    page = set_html(MANIFEST, {})
    for words in ("What is missing", "all text is used up", "1 to 512 tokens", "18 of 1,000 MB"):
        assert words in page
    assert "What is missing" not in set_html(MANIFEST | {"shortfall": []}, {})
