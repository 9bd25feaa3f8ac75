"""Simulates, prints and writes the results."""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._files import read_json, write_json
from statistics_bench.bootstraps import RESAMPLES
from statistics_bench.families import family_rates, look_rates
from statistics_bench.pairs import OURS, pair_rates
from statistics_bench.settings import LOOKS, families, null_pairs, power_pairs, staged, unsettled
from statistics_bench.settling import settling_rates
from statistics_bench.worlds import World

_OUT = Console(width=230, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_SEED = 20_261_130


def main() -> None:
    """Simulate every setting."""
    parser = argparse.ArgumentParser(prog="scripts/bench_statistics")
    parser.add_argument("--runs", type=int, default=2000, help="of a pair; half as many of a family (2000)")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    parser.add_argument("--missing", action="store_true", help="only the rows that this file does not have yet")
    asked = parser.parse_args()
    results: dict[str, Any] = {"seed": _SEED, "bootstrap_resamples": RESAMPLES}
    before = read_json(asked.out) if asked.missing and asked.out.is_file() else {}
    results |= {key: rows for key, rows in before.items() if isinstance(rows, list)}
    half = asked.runs // 2
    for part, worlds, rates, runs in (
        ("equal pairs", null_pairs, pair_rates, asked.runs),
        ("families", families, family_rates, half),
        ("in stages", staged, _in_stages, half),
        ("power", power_pairs, pair_rates, half),
        ("settling", unsettled, settling_rates, half),
    ):
        results[part], known = [], list(before.get(part, []))
        started = time.process_time()
        _OUT.print(f"\n{part}: {runs} runs a setting; standard error of a rate of 5 %: {_error(runs):.1%}")
        for name, world in worlds():
            row = kept(known, name, world, runs) or {"name": name, **rates(world, runs, _SEED)}
            results[part].append(row)
            _OUT.print(f"  R={world.draws} n={world.prompts:3}  {name:32} {_words(row)}")
            write_json(asked.out, results)
        _OUT.print(f"  {time.process_time() - started:.0f} s of a core")


def kept(rows: list[dict[str, Any]], name: str, world: World, runs: int) -> dict[str, Any] | None:
    """The row of this very setting, simulated before."""
    # As JSON has it: tuples are lists there.
    wanted = {"name": name, "runs": runs, "world": json.loads(json.dumps(asdict(world)))}
    return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)


def _in_stages(world: World, runs: int, seed: int) -> dict[str, Any]:
    return look_rates(world, LOOKS, runs, seed)


def _error(runs: int) -> float:
    return math.sqrt(0.05 * 0.95 / runs)


def _words(row: dict[str, Any]) -> str:
    if "any_false" not in row and "ways" not in row:
        told = {what: row[what] for what in ("draws", "prompts") if row[what]}
        return "  ".join(f"{own['count']} {what}: separated {own['separated']:.0%}" for what, own in told.items())
    if "ways" in row:
        ways = row["ways"]
        told = "false" if row["world"]["effects"][0] == row["world"]["effects"][1] else "separated"
        rates = "  ".join(f"{way} {own[told]:.1%}" for way, own in ways.items())
        small = "  ".join(f"{own['false_small']:.2%}" for own in ways.values() if "false_small" in own)
        return f"{told}: {rates}  at 0.5 %: {small}  covered {ways[OURS]['covered']:.1%}"
    any_false = "  ".join(f"{way} {rate:.1%}" for way, rate in row["any_false"].items())
    seen = "" if row["separated"] is None else f"  separated {row['separated']:.0%}"
    best = f"  best: covered {row['best_covered']:.1%} missing {row['best_missing']:.1%} of {row['best_size']:.1f}"
    return f"any false: {any_false}  covered {row['all_covered']:.1%}{seen}{best}  draws {row['draws_used']:.0%}"


if __name__ == "__main__":
    main()
