"""Makes the corpora, runs the tools, prints and writes what was measured."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from gate_bench.machine import conditions
from rich.console import Console

from curation_bench.builds import measure_build
from curation_bench.debian_packages import unpacked_packages
from curation_bench.judged import judge, precision, read_truth
from curation_bench.million import link_ten_times, write_million
from curation_bench.planted import write_corpus
from curation_bench.real_documents import Real, debian_documents, docstrings
from curation_bench.table import print_results, slope
from curation_bench.tools import TOOLS, Place, run_tool
from curator._files import write_json

_SEED = 20_261_130
_OUT = Console(width=130, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="scripts/bench_curation")
    parser.add_argument("what", nargs="?", choices=("tools", "build"), default="tools")
    parser.add_argument("--folder", type=Path, required=True, help="where corpora and environments are")
    parser.add_argument("--sizes", default="20000,60000,200000", help="tools: real documents of each corpus")
    parser.add_argument("--tools", default=",".join(TOOLS), help="tools: which of them")
    parser.add_argument("--documents", type=int, default=1_000_000, help="build: documents of the corpus")
    parser.add_argument("--samples", type=int, default=512, help="build: sequences of 2048 tokens")
    parser.add_argument("--workers", type=int, default=2, help="processes of each tool, and of the build")
    parser.add_argument("--out", type=Path, help="JSON file to write")
    asked = parser.parse_args()
    out = asked.out or _RESULTS / f"{asked.what}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    (_tools if asked.what == "tools" else _builds)(asked, out)


def _tools(asked: argparse.Namespace, out: Path) -> None:
    sizes, tools = [int(size) for size in asked.sizes.split(",")], asked.tools.split(",")
    made = _corpora(asked.folder, sizes, asked.workers)
    results: dict[str, Any] = {**conditions(_SEED), "workers": asked.workers, "corpus": made, "runs": []}
    for size in sizes:
        place = Place(asked.folder, asked.folder / f"corpus-{size}", asked.workers)
        runs = results["runs"] = [*results["runs"], *_measured(tools, place)]
        results["slopes"] = {tool: slope([row for row in runs if row["tool"] == tool]) for tool in tools}
        write_json(out, results)
    print_results(results, _OUT)


def _builds(asked: argparse.Namespace, out: Path) -> None:
    corpus, large = (
        asked.folder / f"documents-{asked.documents}",
        asked.folder / f"documents-{asked.documents}-times-10",
    )
    if not (corpus / "done").is_file():
        chars = write_million(corpus, unpacked_packages(asked.folder / "debian"), asked.documents, asked.workers)
        (corpus / "done").write_text(f"{chars}\n", encoding="utf-8")
    link_ten_times(corpus, large)
    results: dict[str, Any] = {**conditions(_SEED), "runs": []}
    # The first run unpacks the model and fills the file system's cache; it is not counted.
    measure_build(asked.folder, corpus, asked.documents, 4, asked.workers)
    for folder, documents, more in (
        (corpus, asked.documents, ()),
        (corpus, asked.documents, ("--all-windows",)),
        (large, 10 * asked.documents, ()),
    ):
        row = measure_build(asked.folder, folder, documents, asked.samples, asked.workers, more)
        results["runs"].append(row)
        write_json(out, results)
        _OUT.print(
            f"{documents:,} documents {' '.join(more)}: {row['wall_s']:.0f} s, {row['cpu_s']:.0f} s of a core, "
            f"{row['memory_bytes'] / 2**30:.2f} GiB, {row['largest_process_bytes'] / 2**30:.2f} in one process"
        )


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
            "largest_process_bytes": ran.cost.largest,
            "load": round(ran.cost.load, 1),
            "judged": judge(truth, ran.kept, ran.removed),
        }
        rows.append(row)
        _OUT.print(f"{tool}: {len(truth):,} documents, {row['per_core']:,.0f} a second of one core")
    right = precision(place.corpus, removed)
    return [{**row, "precision": right[str(row["tool"])]} for row in rows]


def _corpora(folder: Path, sizes: list[int], workers: int) -> dict[str, Any]:
    """Make the corpora that are not there; what they are of."""
    about = folder / "corpus.json"
    if about.is_file() and all((folder / f"corpus-{size}" / "truth.jsonl").is_file() for size in sizes):
        told: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
        return told
    packages = unpacked_packages(folder / "debian")
    texts = list(debian_documents(packages, workers))
    own, versions = docstrings(workers)
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
