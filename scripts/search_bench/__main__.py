"""Simulates, prints and writes the results."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._files import read_json, write_json
from search_bench.measure import NEAR, proposers, rates
from search_bench.worlds import Shape, World

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_SEED = 20_261_130
_PROMPTS, _GAP = 48, 0.05
_SPREADS = (0.003, 0.010, 0.017)
_SHAPES: tuple[Shape, ...] = ("bowl", "corner")
# Weights of four sources and a limit: four dimensions.
_SOURCES, _BUDGET = 4, 40


def main() -> None:
    """Simulate every setting."""
    parser = argparse.ArgumentParser(prog="scripts/bench_search")
    parser.add_argument("--runs", type=int, default=100, help="searches a planted setting; 100 when left out")
    parser.add_argument("--flat", type=int, default=300, help="searches a flat setting; 300 when left out")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    parser.add_argument("--missing", action="store_true", help="only the rows that this file does not have yet")
    asked = parser.parse_args()
    before = read_json(asked.out)["rows"] if asked.missing and asked.out.is_file() else []
    results: dict[str, Any] = {"seed": _SEED, "prompts_a_half": _PROMPTS, "gap": _GAP, "near": NEAR, "rows": []}
    for part, runs, settings in (
        ("flat", asked.flat, _flat()),
        ("planted", asked.runs, _planted()),
        ("larger", asked.runs // 2, _larger()),
        ("proposers", asked.runs // 4, _proposed()),
    ):
        _OUT.print(f"\n{part}, {runs} searches each")
        for world, budget, name in settings:
            setting = {
                "part": part,
                "surface": world.shape,
                "dimensions": world.sources,
                "draw_sd": world.draw_sd,
                "budget": budget,
                "proposals": name,
                "runs": runs,
            }
            row = kept(before, setting) or {**setting, **rates(world, budget, runs, _SEED, proposers()[name])}
            results["rows"].append(row)
            _OUT.print(_words(row))
            # What is not reached again before a stop stays.
            write_json(asked.out, {**results, "rows": results["rows"] + _others(before, results["rows"])})


def kept(rows: Sequence[dict[str, Any]], setting: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row of this very setting, simulated before."""
    return next((row for row in rows if all(row.get(key) == value for key, value in setting.items())), None)


def _others(before: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in before if row not in rows]


def _world(shape: Shape, draw_sd: float, sources: int = _SOURCES) -> World:
    return World(shape, 0.0 if shape == "flat" else _GAP, draw_sd, sources, _PROMPTS, 0)


def _flat() -> Iterator[tuple[World, int, str]]:
    for draw_sd in _SPREADS:
        yield _world("flat", draw_sd), _BUDGET, "TPE"


def _planted() -> Iterator[tuple[World, int, str]]:
    for shape in _SHAPES:
        for draw_sd in _SPREADS:
            yield _world(shape, draw_sd), _BUDGET, "TPE"


def _larger() -> Iterator[tuple[World, int, str]]:
    """Twice the dimensions, half the budget, and twice the budget where draws spread most."""
    for budget in (80, 160):
        yield _world("bowl", _SPREADS[1], 8), budget, "TPE"
    yield _world("bowl", _SPREADS[1]), 20, "TPE"
    yield _world("bowl", _SPREADS[2]), 80, "TPE"


def _proposed() -> Iterator[tuple[World, int, str]]:
    for name in proposers():
        yield _world("bowl", _SPREADS[1]), _BUDGET, name


def _words(row: dict[str, Any]) -> str:
    size = f"{row['dimensions']} dims, draw SD {row['draw_sd']:.3f}, {row['budget']:3} evaluations"
    where = f"  {row['surface']:6} {size}"
    words = f"{where}, {row['proposals']}: better {row['better']:.1%} worse {row['worse']:.1%}"
    if "found" not in row:
        return words
    return (
        f"{words}; found {row['found']:.0%}, and called better {row['confirmed']:.0%}; gap left {row['left']:.0%}"
    )


if __name__ == "__main__":
    main()
