"""Makes the corpora, runs the tools, prints and writes what was measured."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from gate_bench.machine import conditions
from rich.console import Console

from curation_bench.debian_packages import unpacked_packages
from curation_bench.judged import judge, precision, read_truth
from curation_bench.planted import write_corpus
from curation_bench.real_documents import Real, debian_documents, docstrings
from curation_bench.table import print_results, slope
from curation_bench.tools import TOOLS, Place, run_tool
from curator._files import write_json

_SEED = 20_261_130
_OUT = Console(width=130, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="scripts/bench_curation")
    parser.add_argument("--folder", type=Path, required=True, help="where corpora and environments are")
    parser.add_argument("--sizes", default="20000,60000,200000", help="real documents of each corpus")
    parser.add_argument("--tools", default=",".join(TOOLS), help="which of them")
    parser.add_argument("--workers", type=int, default=2, help="processes of each tool")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    asked = parser.parse_args()
    sizes, tools = [int(size) for size in asked.sizes.split(",")], asked.tools.split(",")
    made = _corpora(asked.folder, sizes)
    results: dict[str, Any] = {**conditions(_SEED), "workers": asked.workers, "corpus": made, "runs": []}
    for size in sizes:
        place = Place(asked.folder, asked.folder / f"corpus-{size}", asked.workers)
        results["runs"] += _measured(tools, place)
        results["slopes"] = {
            tool: slope([row for row in results["runs"] if row["tool"] == tool]) for tool in tools
        }
        write_json(asked.out, results)
    print_results(results, _OUT)


def _measured(tools: list[str], place: Place) -> list[dict[str, Any]]:
    """All tools on one corpus, one after another; then what is right of what they removed."""
    truth, rows, removed = read_truth(place.corpus), [], {}
    for tool in tools:
        ran = run_tool(tool, place)
        removed[tool] = ran.removed
        row = {
            "tool": tool,
            "documents": len(truth),
            "kept": len(ran.kept),
            "cpu_s": round(ran.cost.cpu, 2),
            "wall_s": round(ran.cost.wall, 2),
            "per_core": round(len(truth) / ran.cost.cpu, 1),
            "per_second": round(len(truth) / ran.cost.wall, 1),
            "memory_bytes": ran.cost.memory,
            "load": round(ran.cost.load, 1),
            "judged": judge(truth, ran.kept, ran.removed),
        }
        rows.append(row)
        _OUT.print(f"{tool}: {len(truth):,} documents, {row['per_core']:,.0f} a second of one core")
    right = precision(place.corpus, removed)
    return [{**row, "precision": right[str(row["tool"])]} for row in rows]


def _corpora(folder: Path, sizes: list[int]) -> dict[str, Any]:
    """Make the corpora that are not there; what they are of."""
    about = folder / "corpus.json"
    if about.is_file() and all((folder / f"corpus-{size}" / "truth.jsonl").is_file() for size in sizes):
        told: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
        return told
    packages = unpacked_packages(folder / "debian")
    texts = list(debian_documents(packages))
    own, versions = docstrings()
    english = [*(one for one in texts if one.language == "en"), *own]
    other = [one for one in texts if one.language != "en"]
    for size in sizes:
        write_corpus(folder / f"corpus-{size}", english, other, size, _SEED)
    told = {
        "debian": {one.name: one.version for one in packages},
        "python": versions,
        "documents": _counted(english, other),
        "lengths": _lengths(english),
    }
    write_json(about, told)
    return told


def _counted(english: list[Real], other: list[Real]) -> dict[str, int]:
    return dict(Counter(one.source for one in (*english, *other)).most_common())


def _lengths(english: list[Real]) -> dict[str, int]:
    lengths = sorted(len(one.text) for one in english)
    return {f"p{part}": lengths[len(lengths) * part // 100] for part in (10, 50, 90)} | {
        "mean": sum(lengths) // len(lengths)
    }


if __name__ == "__main__":
    main()
