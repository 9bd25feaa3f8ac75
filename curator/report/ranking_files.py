"""A ranking as the files of a run folder: the document, the report, and the numbers of its figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curator._files import atomic_folder, write_json, write_text
from curator._seal import sealed
from curator.report.ranking_figures import figures
from curator.report.ranking_html import ranking_html

RANKING, REPORT, FIGURES = "ranking.json", "report.html", "figures"
# What a cell may begin with that a spreadsheet calculates (OWASP, "CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_ranking(out: Path, ranking: Mapping[str, Any]) -> None:
    """Write ``figures/NAME.csv`` and ``.json``, ``report.html`` and, last, ``ranking.json``.

    Args:
        out: the run folder.
        ranking: the ranking document.

    Raises:
        DependencyError: the disk is full or the folder cannot be written.
    """
    with atomic_folder(out / FIGURES) as folder:
        for name, rows in figures(ranking).items():
            write_text(folder / f"{name}.csv", as_csv(rows))
            write_json(folder / f"{name}.json", rows)
    write_text(out / REPORT, ranking_html(ranking))
    # Last: whoever finds it may take the other files for granted.
    write_json(out / RANKING, sealed(ranking))


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of one set of keys as CSV (RFC 4180): a header, empty cells for what is not known.

    A text that a spreadsheet would run as a formula gets an apostrophe before it; the JSON beside has it as it is.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(map(_inert, rows[0])))
    writer.writeheader()
    writer.writerows({_inert(name): _inert(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _inert(cell: Any) -> Any:
    """A cell that holds no formula: prompts, the model's answers and names of tasks are other people's text."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
