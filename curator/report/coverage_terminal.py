"""Which experts a set reaches, on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from curator.report._terminal_parts import print_line
from curator.report.format import DASH, count, one_line, percentage
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_block

_SHOWN = 12


def print_coverage(coverage: Mapping[str, Any], console: Console) -> None:
    """Print what `audit.coverage.expert_coverage` found of a model.

    Args:
        coverage: its answer, and ``model``, what the user calls the model. One row a layer of experts; a dense
            model has none and gets one line.
        console: where to print.
    """
    model = coverage["model"]
    layers, uncounted = coverage["layers"], coverage["uncounted"]
    if not layers and not uncounted:
        print_line(console, f"{one_line(model)} is a dense model: every layer sees all tokens of the set.")
        return
    print_line(console, f"Experts of {one_line(model)} that {count(coverage['tokens'])} tokens reach", "bold")
    table = new_table()
    add_words(table, "experts of")
    add_numbers(table, "experts", "min", "median", "max", f"% under {count(coverage['few'])}")
    add_words(table, "unseen")
    for layer in layers:
        table.add_row(
            one_line(layer["name"]),
            count(layer["experts"]),
            count(layer["min"]),
            count(int(layer["median"])),
            count(layer["max"]),
            percentage(layer["share_few"]),
            _numbers(layer["unseen"]),
        )
    if layers:
        print_block(console, table)
    for name in uncounted:
        print_line(console, f"{one_line(name)}: the tokens of each expert cannot be counted", "yellow")
    unseen = sum(len(layer["unseen"]) for layer in layers)
    if unseen:
        print_line(
            console,
            f"{count(unseen)} expert(s) see no token: add text that reaches them, or calibrate all experts with "
            "all tokens (`experts: all`)",
            "yellow",
        )
    print_line(
        console, "An expert with fewer tokens than the model is wide has a Hessian of too low a rank.", "dim"
    )


def _numbers(unseen: list[int]) -> str:
    more = len(unseen) - _SHOWN
    return (", ".join(map(str, unseen[:_SHOWN])) + (f" and {more} more" if more > 0 else "")) or DASH
