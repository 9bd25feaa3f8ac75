"""Simulates, prints and writes the results."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._files import write_json
from statistics_bench.bootstraps import RESAMPLES
from statistics_bench.measure import OURS, family_rates, look_rates, pair_rates
from statistics_bench.settings import LOOKS, families, null_pairs, power_pairs, staged
from statistics_bench.worlds import World

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_SEED = 20_261_130


def main() -> None:
    """Simulate every setting."""
    parser = argparse.ArgumentParser(prog="scripts/bench_statistics")
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs a setting; 2000 when left out")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    asked = parser.parse_args()
    results: dict[str, Any] = {"seed": _SEED, "runs": asked.runs, "bootstrap_resamples": RESAMPLES}
    for part, worlds, rates in (
        ("equal pairs", null_pairs, pair_rates),
        ("power", power_pairs, pair_rates),
        ("families", families, family_rates),
        ("in stages", staged, _in_stages),
    ):
        results[part] = []
        started = time.monotonic()
        _OUT.print(f"\n{part} (standard error of a rate of 5 %: {math.sqrt(0.05 * 0.95 / asked.runs):.1%})")
        for name, world in worlds():
            row = {"name": name, **rates(world, asked.runs, _SEED)}
            results[part].append(row)
            _OUT.print(f"  R={world.draws} n={world.prompts:3}  {name:32} {_words(row)}")
            write_json(asked.out, results)
        _OUT.print(f"  {time.monotonic() - started:.0f} s")


def _in_stages(world: World, runs: int, seed: int) -> dict[str, Any]:
    return look_rates(world, LOOKS, runs, seed)


def _words(row: dict[str, Any]) -> str:
    if "ways" in row:
        ways = row["ways"].items()
        false = "  ".join(f"{way} {own['separated']:.1%}" for way, own in ways)
        return f"separated: {false}  covered {row['ways'][OURS]['covered']:.1%}"
    any_false = "  ".join(f"{way}: {rate:.1%}" for way, rate in row["any_false"].items())
    seen = "" if row["separated"] is None else f"  separated {row['separated']:.0%}"
    used = f"  draws used {row['draws_used']:.0%}" if "draws_used" in row else ""
    return f"any false: {any_false}  all covered {row['all_covered']:.1%}{seen}{used}"


if __name__ == "__main__":
    main()
