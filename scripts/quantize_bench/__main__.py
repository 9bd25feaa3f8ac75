"""Runs the ways in turn, several times, and prints each cost as a ratio to the call made by hand."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._files import write_json
from curator._seed import rng
from curator.models.locate import DEFAULT_MODEL, locate_model
from curator.quantize.checkpoint import tensors_sha256
from curator.quantize.machine import machine_facts
from quantize_bench.cost import Cost, cost_of

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_ROWS, _TOKENS, _ROUNDS = 16, 512, 3
# Ours beside theirs with our kernels: what the step adds. Theirs alone is what a user leaves.
_WAYS = ("by hand, our kernels", "ours", "by hand")
_TARGETS = {"processor": 1.05, "memory": 1.10}


def main(methods: Sequence[str]) -> None:
    """Measure, print and write the results."""
    model = locate_model(DEFAULT_MODEL)
    tables = {method: _measure(model, method) for method in methods}
    for method, table in tables.items():
        _OUT.print(f"\n{method}, {_ROWS} x {_TOKENS} tokens, medians of {_ROUNDS} alternating runs")
        for way in _WAYS:
            own = table["ways"][way]["median"]
            _OUT.print(f"  {way:22} {own['processor']:8.1f} s processor {own['memory'] / 2**20:8.0f} MiB peak")
        for name, target in _TARGETS.items():
            ratio = table["ratio"][name]
            verdict = "ok" if ratio <= target else "MISSED"
            _OUT.print(f"  {name}: ours / by hand with our kernels = {ratio:.3f} (target {target}) {verdict}")
    before = json.loads(_RESULTS.read_text(encoding="utf-8")) if _RESULTS.is_file() else {}
    write_json(_RESULTS, {**before, **tables})


def _measure(model: Path, method: str) -> dict[str, Any]:
    costs: dict[str, list[Cost]] = {way: [] for way in _WAYS}
    loads, hashes = [], set()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = folder / "rows.json"
        write_json(rows, _rows(model))
        for number in range(_ROUNDS):
            for way in _WAYS:
                out = folder / f"{number}-{way.replace(' ', '-')}"
                loads.append(round(os.getloadavg()[0], 2))
                costs[way].append(cost_of(_command(way, model, rows, method, out), folder / "log"))
                hashes.add(tensors_sha256(out))
                _OUT.print(f"  {method} {way}: {costs[way][-1].processor:.1f} s processor, load {loads[-1]}")
    ways = {way: {"runs": [asdict(cost) for cost in runs], "median": _median(runs)} for way, runs in costs.items()}
    ours, theirs = ways["ours"]["median"], ways["by hand, our kernels"]["median"]
    return {
        "machine": {**machine_facts(), "cores": os.cpu_count(), "load_before_each_run": loads},
        "ways": ways,
        "ratio": {name: ours[name] / theirs[name] for name in (*_TARGETS, "wall")},
        "same_tensors": len(hashes) == 1,
    }


def _rows(model: Path) -> list[list[int]]:
    size = json.loads((model / "config.json").read_text(encoding="utf-8"))["vocab_size"]
    random = rng("quantize-bench", 0)
    return [[random.randrange(size) for _ in range(_TOKENS)] for _ in range(_ROWS)]


def _command(way: str, model: Path, rows: Path, method: str, out: Path) -> list[str]:
    start = [sys.executable, "-m"]
    if way == "ours":
        return [*start, "quantize_bench.ours", str(model), str(rows), method, str(out)]
    kernels = "ours" if way.endswith("kernels") else "theirs"
    return [*start, "quantize_bench.by_hand", str(model), str(rows), method, kernels, str(out)]


def _median(costs: Sequence[Cost]) -> dict[str, float]:
    return {
        name: statistics.median(asdict(cost)[name] for cost in costs) for name in ("processor", "wall", "memory")
    }


if __name__ == "__main__":
    main(sys.argv[1:] or ["gptq", "max"])
