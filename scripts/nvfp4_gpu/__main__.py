"""Command line: quantises with every method and set, scores the checkpoints, writes the results as they come."""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._errors import CurateError
from curator._files import write_json
from curator.adapters.stored_set import StoredSet, read_set
from curator.measure.heldout import load_prompts
from curator.quantize.machine import find_devices
from curator.recipe.quantize_settings import QuantizeSettings
from nvfp4_gpu.make import Run
from nvfp4_gpu.measure import Measurement

_OUT = Console(width=120, highlight=False, markup=False)


def main() -> None:
    """Run all of it."""
    asked = _asked()
    results: dict[str, Any] = {"runs": [], "differences": [], "again": []}
    sets = {folder.name: read_set(folder) for folder in asked.sets}
    # A fresh process each: CUDA does not survive a fork.
    fresh = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(dir=asked.work) as scratch,
        ProcessPoolExecutor(asked.workers, mp_context=fresh) as pool,
    ):
        measurement = Measurement(asked.model, Path(scratch), pool, asked.workers)
        results |= measurement.take_baseline(load_prompts(asked.heldout), asked.tokens, asked.batch_size)
        for method in asked.methods:
            runs = list(_runs(asked, method, sets))
            made = [run for run in runs if _add(results, measurement, run, asked.out)]
            _score(results, measurement, made)
            write_json(asked.out, results)
    for line in (*results["differences"], *results["again"]):
        _OUT.print(line)


def _runs(asked: argparse.Namespace, method: str, sets: dict[str, StoredSet]) -> Iterator[Run]:
    """One checkpoint for each set, then the first set's again, where that is asked."""
    settings = QuantizeSettings(method=method, scheme=asked.scheme)
    runs = [Run(settings, name, stored, asked.device) for name, stored in sets.items()]
    yield from runs
    for device in [asked.device] * (method in asked.again) + ["cpu"] * (method in asked.on_cpu):
        yield replace(runs[0], device=device, again=True)


def _add(results: dict[str, Any], measurement: Measurement, run: Run, out: Path) -> bool:
    """Make one checkpoint; one that cannot be made does not end the others."""
    try:
        row = measurement.make(run)
    except CurateError as error:
        row = {"method": run.settings.method, "set": run.set_name, "again": run.again, "fault": str(error)}
    results["runs"].append({"name": run.name, **row})
    # At once: time on a borrowed GPU may end before the script does.
    write_json(out, results)
    _OUT.print(f"{run.name}: {row.get('fault') or str(row['seconds']) + ' s'}")
    return "fault" not in row


def _score(results: dict[str, Any], measurement: Measurement, made: Sequence[Run]) -> None:
    """Score the checkpoints of one method, and compare them."""
    rows = {row["name"]: row for row in results["runs"]}
    for run, scores in zip(made, measurement.score(made), strict=True):
        rows[run.name]["kl"] = scores
        _OUT.print(f"{run.name}: KL " + ", ".join(f"{name} {kl['mean']:.4f}" for name, kl in scores.items()))
    firsts = [run for run in made if not run.again]
    for a, b in combinations(firsts, 2):
        results["differences"] += measurement.differences(a, b)
    for again in made:
        if again.again and firsts and firsts[0].set_name == again.set_name:
            results["again"].append(measurement.repeated(firsts[0], again))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/gpu_nvfp4", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of a BF16 model")
    parser.add_argument("--sets", type=Path, nargs="+", required=True, help="set folders of `curate build`")
    parser.add_argument("--heldout", type=Path, required=True, help="file of `curate heldout`")
    parser.add_argument("--out", type=Path, required=True, help="JSON file for the results")
    parser.add_argument("--methods", nargs="+", default=["gptq", "max"], help="what --method of curate takes")
    parser.add_argument("--scheme", choices=("W4A4", "W4A16"), default="W4A4")
    parser.add_argument("--again", nargs="*", default=[], help="methods to run twice on the first set")
    parser.add_argument("--on-cpu", nargs="*", default=[], help="methods to run on the CPU too, on the first set")
    parser.add_argument("--device", default="auto", help="as `curate quantize --device`")
    parser.add_argument("--tokens", type=int, default=32, help="scored tokens a prompt")
    parser.add_argument("--batch-size", type=int, default=8, help="prompts scored together")
    parser.add_argument("--workers", type=int, default=1, help="checkpoints scored at the same time")
    parser.add_argument("--work", type=Path, default=None, help="folder for checkpoints, removed at the end")
    asked = parser.parse_args()
    find_devices(asked.device)
    return asked


if __name__ == "__main__":
    main()
