"""Measures the generators, prints a table with the target, writes results.json."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gate_bench.machine import conditions
from rich.console import Console
from rich.table import Table

from curator._files import write_json
from curator.models.locate import DEFAULT_MODEL
from generator_bench.measure import Cell, measure

_RESULTS = Path(__file__).parent / "results.json"
SAMPLES, TOKENS, WORKERS = 1000, 4096, 2
TARGET = 60.0
"""Seconds for `SAMPLES` samples of `TOKENS` tokens on `WORKERS` cores."""


def main() -> int:
    """Measure, print, write; 1 where the target is missed."""
    options = _options()
    load = conditions(1)
    started = time.monotonic()
    cells = measure(options.samples, options.tokens, options.workers)
    result = summary(cells, options, time.monotonic() - started, load)
    _print(result)
    write_json(options.json, result)
    return int(result["target_met"] is False)


def summary(
    cells: Sequence[Cell], options: argparse.Namespace, wall: float, load: dict[str, Any]
) -> dict[str, Any]:
    """What goes to the result file.

    Args:
        cells: what was measured.
        options: samples, tokens and workers asked.
        wall: seconds on the clock.
        load: date, versions and machine.
    """
    making, setup = sum(cell.seconds for cell in cells), sum(cell.setup for cell in cells)
    # Other work on the machine changes the clock and not the processor's time.
    each = (making + setup) / options.workers
    standard = (options.samples, options.tokens, options.workers) == (SAMPLES, TOKENS, WORKERS)
    return {
        "conditions": {**load, "tokenizer": DEFAULT_MODEL},
        "samples": sum(len(cell.used) for cell in cells),
        "tokens": options.tokens,
        "workers": options.workers,
        "cpu_s_making": round(making, 1),
        "cpu_s_setup": round(setup, 1),
        "cpu_s_a_worker": round(each, 1),
        "wall_s": round(wall, 1),
        "target_s": TARGET if standard else None,
        "target_met": each < TARGET if standard else None,
        "cells": [cell.as_json() for cell in cells],
    }


def _print(result: dict[str, Any]) -> None:
    out = Console(width=100, highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    heads = ("generator", "language", "samples", "ms a sample", "once a process, s", "budget used: least", "mean")
    for place, head in enumerate(heads):
        table.add_column(head, justify="left" if place < 2 else "right", no_wrap=True)
    for row in result["cells"]:
        table.add_row(
            row["generator"],
            row["language"],
            str(row["samples"]),
            f"{row['cpu_ms_a_sample']:.1f}",
            f"{row['setup_cpu_s'] / result['workers']:.2f}",
            f"{row['budget_used_min']:.1%}",
            f"{row['budget_used_mean']:.1%}",
        )
    out.print(table)
    words = (
        f"{result['samples']:,} samples of {result['tokens']:,} tokens over {result['workers']} processes: "
        f"{result['cpu_s_a_worker']} s of the processor each (once a process included), {result['wall_s']} s on "
        f"the clock, at a load of {result['conditions']['load']} before"
    )
    met = result["target_met"]
    out.print(words if met is None else f"{words}; target under {TARGET:.0f} s: {'pass' if met else 'FAIL'}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench_generators", description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"in all ({SAMPLES})")
    parser.add_argument("--tokens", type=int, default=TOKENS, help=f"budget of each ({TOKENS})")
    parser.add_argument("--workers", type=int, default=WORKERS, help=f"processes ({WORKERS})")
    parser.add_argument("--json", type=Path, default=_RESULTS, help="file of the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
