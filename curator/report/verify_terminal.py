"""A verified checkpoint on a terminal or in a pipe: what it is, the layers furthest off, faults and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import print_item, print_line, print_warnings
from curator.report.format import count, number, one_line
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_block, print_facts

_SHOWN = 10
_UNITS = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_KV_CACHE = {
    "none": "as the model computes it",
    "fp8": "FP8",
    "other": "quantised, in a format that is not checked",
}


def print_verification(document: Mapping[str, Any], console: Console) -> None:
    """Print what `curate verify` found, as its JSON has it.

    Args:
        document: of `Verification.document`, with ``checkpoint``, ``asked`` and ``reference``.
        console: where to print.
    """
    layout, maker = document["layout"], one_line(document["producer"])
    words = maker if maker.startswith(layout) else f"{layout} by {maker}" if maker else layout
    print_line(console, f"{one_line(document['checkpoint'])}: {words}", "bold")
    _facts(document, console)
    if document["errors"]:
        _errors(document, console)
    faults = document["faults"]
    if faults:
        console.print()
    for fault in faults[:_SHOWN]:
        print_item(console, Text(one_line(fault)), lead="fault:", style="red")
    if len(faults) > _SHOWN:
        print_line(console, f"and {len(faults) - _SHOWN} more faults; --json lists them all")
    print_warnings(console, document["warnings"])
    if not faults:
        console.print()
        print_line(console, "no fault found")


def _facts(document: Mapping[str, Any], console: Console) -> None:
    layers = ", ".join(f"{count(size)} {kind}" for kind, size in document["layers"].items() if size)
    within = document["bits_quantised"]
    share = f"; {number(within, 2)} a weight in quantised layers" if within is not None else ""
    facts = [
        ("scheme", str(document["scheme"])),
        ("linear layers", layers or "none"),
        ("KV cache", _KV_CACHE[document["kv_cache"]]),
        ("size", f"{size_words(document['size'])}, {count(document['parameters'])} parameters"),
        ("bits", f"{number(document['bits_all'], 2)} a parameter{share}"),
    ]
    print_facts(console, facts)


def size_words(size: int) -> str:
    """Bytes in the unit that suits: ``132.9 MB``."""
    unit, scale = next(((unit, scale) for unit, scale in _UNITS if size >= scale), ("bytes", 1))
    return f"{size / scale:.1f} {unit}" if scale > 1 else f"{size} bytes"


def _errors(document: Mapping[str, Any], console: Console) -> None:
    errors: Sequence[Mapping[str, Any]] = document["errors"]
    console.print()
    middle = number(median(one["error"] for one in errors), 4)
    heading = f"Error of the weights against {one_line(document['reference'])}, ||W - Q|| / ||W||"
    print_line(console, f"{heading}: median {middle} over {count(len(errors))} layers", "bold")
    table = new_table()
    add_words(table, "worst layers", "format")
    add_numbers(table, "error", "rounding", "times")
    for one in errors[:_SHOWN]:
        times = one["error"] / one["rounding"] if one["rounding"] else None
        table.add_row(
            Text(one_line(one["layer"])),
            one["format"],
            number(one["error"], 4),
            number(one["rounding"], 4),
            Text(number(times, 2), "yellow" if one["far"] else ""),
        )
    print_block(console, table)
    more = "; what is far more is told below" if any(one["far"] for one in errors) else ""
    print_line(
        console,
        "rounding: the model's weight rounded to the nearest values (Gaussian weights: 0.095 in NVFP4, 0.026 in "
        f"FP8). GPTQ moves weights on purpose, up to about twice that{more}.",
        "dim",
    )
