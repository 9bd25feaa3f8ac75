"""Lines, limits and warnings on a terminal or in a pipe: plain text that wraps.

Names come from recipes, so everything is printed as ``Text``: neither markup nor control characters in a name
act on the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._verdicts import detectable, floors, may_be_best
from curator.report.format import one_line
from curator.report.terminal_tables import print_facts


def print_limits(console: Console, document: Mapping[str, Any]) -> None:
    """Floors, the smallest detectable difference, and the arms that may be the best."""
    rows = floors(document)
    if rows:
        console.print()
        print_line(console, "Noise floors (SD of mean KL)", "bold")
        width = max(len(sd) for _, sd, _ in rows)
        print_facts(console, [(name, f"{sd:<{width}}  {words}".rstrip()) for name, sd, words in rows])
    sentences = [sentence for sentence in (detectable(document), may_be_best(document)) if sentence]
    if sentences:
        console.print()
    for sentence in sentences:
        print_line(console, sentence)


def print_warnings(console: Console, warnings: object) -> None:
    texts = list(warnings) if isinstance(warnings, Sequence) and not isinstance(warnings, str) else []
    if texts:
        console.print()
    for text in texts:
        print_item(console, Text(one_line(text)), lead="warning:", style="yellow")


def print_item(console: Console, text: Text, lead: str = " ", style: str = "") -> None:
    """A paragraph with a hanging indent."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(lead, style), text)
    console.print(grid, highlight=False)


def print_line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), highlight=False, overflow="fold")
