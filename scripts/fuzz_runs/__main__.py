"""Fuzzes every target and writes what came out."""

from __future__ import annotations

import argparse
import datetime
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import hypothesis
import pyarrow
from rich.console import Console

import curator
from curator._files import read_json, write_json
from fuzz_runs.target import fuzz
from fuzz_runs.targets import TARGETS

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Fuzz; the first failure ends it with its traceback, its input and how to have it again."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each target (10,000)")
    parser.add_argument("--only", choices=[target.name for target in TARGETS], help="one target")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="repeats a run (random)")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    asked = parser.parse_args()
    results: dict[str, Any] = read_json(asked.out) if asked.out.is_file() else {}
    for target in TARGETS:
        if asked.only not in (None, target.name):
            continue
        _OUT.print(f"{target.name}: {target.what}; --seed {asked.seed}")
        started = time.process_time()
        with tempfile.TemporaryDirectory(prefix="curate-fuzz-") as folder:
            counts = fuzz(target, Path(folder), asked.inputs, asked.seed)
        row = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "version": curator.__version__,
            "seed": asked.seed,
            "inputs": counts.total(),
            "read": counts["read"],
            "refused": counts["refused"],
            "core_seconds": round(time.process_time() - started, 1),
            "hypothesis": hypothesis.__version__,
            "pyarrow": pyarrow.__version__,
            "python": platform.python_version(),
        }
        results[target.name] = row
        _OUT.print(f"  {counts.total()} inputs: {counts['read']} read, {counts['refused']} refused in words")
        # After each: a stop loses one.
        write_json(asked.out, results)


if __name__ == "__main__":
    main()
