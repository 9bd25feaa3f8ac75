"""Tables on a terminal: names fold, numbers stay whole; where both have no room a row is a block of lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.style import StyleType
from rich.table import Column, Table
from rich.text import Text

from curator.report.format import DASH, count

NAME_WIDTH = 30
"""The widest column of names; longer ones fold."""
_LEAST = 12  # of a column whose words fold
_GAP = 2
_BAR = 24  # blocks of the longest bar
_BAR_LEAST = 4


def new_table() -> Table:
    """An empty table without lines; `add_words` and `add_numbers` add its columns."""
    return Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")


def add_words(table: Table, *heads: str, max_width: int | None = None) -> None:
    """Add columns of names or words, which fold."""
    for head in heads:
        table.add_column(Text(head), overflow="fold", max_width=max_width)


def add_numbers(table: Table, *heads: str) -> None:
    """Add columns of numbers, which are never broken."""
    for head in heads:
        table.add_column(Text(head), justify="right", no_wrap=True, vertical="top")


def print_table(console: Console, table: Table) -> None:
    """Print a table, or one value a line where its numbers, and a part of its names, have no room."""
    if _needed(table) <= console.width:
        console.print(table, highlight=False)
        return
    columns = table.columns
    name = next((place for place, column in enumerate(columns) if not column.no_wrap), 0)
    for number, row in enumerate(zip(*map(_cells, columns), strict=True)):
        style = table.rows[number].style or ""
        heads = [" ".join(_text(column.header).plain.split()) for column in columns]
        facts = [
            (head, cell.plain)
            for place, (head, cell) in enumerate(zip(heads, row, strict=True))
            if place != name and cell.plain not in ("", DASH)
        ]
        title = Text(f"{heads[name]}: ") if facts and heads[name] else Text()
        console.print(title.append_text(row[name]), style=style or "bold", highlight=False, overflow="fold")
        print_facts(console, facts, style)


def print_block(console: Console, table: Table) -> None:
    """Print a table below an empty line; see `print_table`."""
    console.print()
    print_table(console, table)


def fits(table: Table, console: Console) -> bool:
    """Whether no cell of a table is broken."""
    wide = console.options.update(width=10_000)
    return Measurement.get(console, wide, table).maximum <= console.width


def print_facts(console: Console, facts: Sequence[tuple[str, str]], style: StyleType = "") -> None:
    """Print names and values in two columns, or where a value would be broken one below the other."""
    room = console.width - max((len(name) for name, _ in facts), default=0) - 4
    # A hash, a path or a number that is broken in two cannot be read: on lines of their own, whole.
    whole = [(name, value) for name, value in facts if " " not in value and len(value) > room]
    rest = [fact for fact in facts if fact not in whole]
    if any(len(word) > room for _, value in rest for word in value.split()):
        for name, value in rest:
            console.print(Text(f"  {name}  {value}", style), highlight=False, overflow="fold")
    elif rest:
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        grid.add_column(overflow="fold")
        grid.add_column(overflow="fold")
        for name, value in rest:
            grid.add_row(Text(f"  {name}"), Text(value), style=style)
        console.print(grid, highlight=False)
    for name, value in whole:
        console.print(Text(f"  {name}  {value}", style), soft_wrap=True)


def bars_table(console: Console, name: str, counted: str, bars: Sequence[tuple[str, int]]) -> Table:
    """Counts as bars of whole blocks, which a pipe and a narrow terminal show as well.

    Args:
        console: whose width the bars leave room in.
        name: what the labels are.
        counted: what is counted.
        bars: labels with their counts.
    """
    table = new_table()
    add_numbers(table, name, counted)
    labels = max((len(label) for label, _ in bars), default=0)
    sizes = max((len(count(size)) for _, size in bars), default=0)
    longest = console.width - max(len(name), labels) - max(len(counted), sizes) - 2 * _GAP
    longest = min(max(longest, _BAR_LEAST), _BAR)
    table.add_column("", no_wrap=True)
    top = max((size for _, size in bars), default=1)
    for label, size in bars:
        blocks = "█" * max(round(longest * size / top), 1 if size else 0)
        table.add_row(Text(label), Text(count(size)), Text(blocks))
    return table


def _needed(table: Table) -> int:
    """Columns of the terminal that a table needs: numbers whole, and words not broken too small."""
    return sum(map(_column_width, table.columns)) + _GAP * (len(table.columns) - 1)


def _column_width(column: Column) -> int:
    lines = [line for cell in (_text(column.header), *_cells(column)) for line in cell.plain.split("\n")]
    widest = max(map(cell_len, lines), default=0)
    return widest if column.no_wrap else min(widest, max(column.min_width or 0, _LEAST))


def _cells(column: Column) -> list[Text]:
    return [_text(cell) for cell in column.cells]


def _text(cell: RenderableType) -> Text:
    return cell.copy() if isinstance(cell, Text) else Text(str(cell))
