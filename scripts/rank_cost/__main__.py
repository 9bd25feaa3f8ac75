"""Runs `curate rank` with clocks around its parts; prints and writes what each took."""

from __future__ import annotations

import datetime
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

import curator
from curator._files import read_json, write_json
from rank_cost.clocks import CLOCK, Clocks, now
from rank_cost.places import document, put_clocks
from rank_cost.quantiser_child import TIMES

_RESULTS = Path(__file__).parent / "results.json"
# What scripts/demo runs; and a quarter of its prompts and of its sets, of two recipes and one null arm.
_RANKINGS = {
    "demo": "coherent-mix code-only prose-only uuid-words --tokens 64 --null no-data,second-draw",
    "small-demo": "coherent-mix uuid-words --tokens 64 --null no-data --per-task 4 --set size.samples=4",
}


def main() -> None:
    """Rank as the command line says, into a folder that is new."""
    began = _process_start()
    processor = sys.argv[1] == "--processor"
    name, *more = sys.argv[1 + processor :]
    if processor:
        os.environ[CLOCK] = "processor"
    with tempfile.TemporaryDirectory(prefix="curate-bench-") as folder:
        times = Path(folder) / "times"
        times.mkdir()
        asked = [*_RANKINGS[name].split(), "--out", f"{folder}/run", *more] if name in _RANKINGS else [name, *more]
        os.environ[TIMES] = str(times)
        clocks = Clocks()
        put_clocks(clocks)
        from curator.quantize import run

        run._WORKER = "rank_cost.quantiser_child"
        from curator.cli.app import app

        try:
            app(["rank", *asked])
        except SystemExit as end:
            if end.code:
                raise
        children = [read_json(file) for file in times.iterdir()]
        if processor:
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            clocks.seconds["quantiser_child"] = ended.ru_utime + ended.ru_stime
            whole = now() + clocks.seconds["quantiser_child"]
        else:
            whole = time.time() - began
        found = document(whole, clocks.seconds, children)
        if processor:
            found = {"processor_s": found.pop("wall_s"), **found}
    kept = name if name in _RANKINGS else "other"
    _store(f"{kept}, processor seconds" if processor else kept, asked, found | {"quantisings": len(children)})
    for key, value in found.items():
        Console(highlight=False).print(f"{key}: {value}")


def _store(name: str, asked: list[str], found: dict[str, Any]) -> None:
    results: dict[str, Any] = read_json(_RESULTS) if _RESULTS.is_file() else {}
    results[name] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": curator.__version__,
        "command": ["NEW_FOLDER" if os.path.isabs(argument) else argument for argument in asked],
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        **found,
    }
    write_json(_RESULTS, results)


def _process_start() -> float:
    """When this process began, in seconds since the epoch: its imports count."""
    import psutil

    return float(psutil.Process().create_time())


if __name__ == "__main__":
    main()
