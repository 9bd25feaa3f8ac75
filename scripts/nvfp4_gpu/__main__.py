"""Command line: quantises with every method and set, scores each checkpoint, writes the results as they come."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._errors import CurateError
from curator._files import write_json
from curator.adapters.stored_set import read_set
from curator.measure.heldout import load_prompts
from curator.quantize.machine import find_devices
from curator.recipe.quantize_settings import QuantizeSettings
from nvfp4_gpu.measure import Measurement, Run

_OUT = Console(width=120, highlight=False, markup=False)


def main() -> None:
    """Run all of it."""
    asked = _asked()
    results: dict[str, Any] = {"runs": [], "differences": [], "again": []}
    with tempfile.TemporaryDirectory(dir=asked.work) as scratch:
        measurement = Measurement(asked.model, Path(scratch))
        results |= measurement.take_baseline(load_prompts(asked.heldout), asked.tokens, asked.batch_size)
        sets = {folder.name: read_set(folder) for folder in asked.sets}
        for method in asked.methods:
            settings = QuantizeSettings(method=method, scheme=asked.scheme)
            runs = [Run(settings, name, stored, asked.device) for name, stored in sets.items()]
            made = [run for run in runs if _add(results, measurement, run, asked.out)]
            results["differences"] += [measurement.difference(a, b) for a, b in combinations(made, 2)]
            devices = [asked.device] * (method in asked.again) + ["cpu"] * (method in asked.on_cpu)
            for device in devices:
                again = replace(runs[0], device=device, again=True)
                if runs[0] in made and _add(results, measurement, again, asked.out):
                    results["again"].append(measurement.repeated(runs[0], again))
            write_json(asked.out, results)
    for line in (*results["differences"], *results["again"]):
        _OUT.print(line)


def _add(results: dict[str, Any], measurement: Measurement, run: Run, out: Path) -> bool:
    """Make and measure one checkpoint; one that cannot be made does not end the others."""
    try:
        row = measurement.take(run)
    except CurateError as error:
        row = {"method": run.settings.method, "set": run.set_name, "again": run.again, "fault": str(error)}
    results["runs"].append(row)
    # At once: time on a borrowed GPU may end before the script does.
    write_json(out, results)
    told = row.get("fault") or ", ".join(f"{name} {kl['mean']:.4f}" for name, kl in row["kl"].items())
    _OUT.print(f"{run.name}: {told}" + (f", {row['seconds']} s" if "seconds" in row else ""))
    return "fault" not in row


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
    parser.add_argument("--work", type=Path, default=None, help="folder for checkpoints, removed at the end")
    asked = parser.parse_args()
    find_devices(asked.device)
    return asked


if __name__ == "__main__":
    main()
