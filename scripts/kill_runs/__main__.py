"""Kills, starts again, compares, and writes what came out."""

from __future__ import annotations

import argparse
import collections
import datetime
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

import curator
from curator._files import read_json, write_json
from kill_runs.beside import CACHE, ended_later, in_order, lanes
from kill_runs.forked import import_all
from kill_runs.trial import Trial, killed, unharmed
from kill_runs.work import Work, works

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"


def main() -> int:
    """1 when a run did not end as one that nobody killed; its folder stays."""
    parser = argparse.ArgumentParser(prog="scripts/kill-runs")
    parser.add_argument("--verb", choices=["build", "rank"], action="append", help="one verb (both)")
    parser.add_argument("--model", default="tiny", help="tiny, or what `curate --model` takes (tiny)")
    parser.add_argument("--times", type=int, default=100, help="kills a verb (100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first kill: repeats one (0)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="repeats the kills (random)")
    parser.add_argument("--jobs", type=int, default=1, help="kills at once, each with cores of its own (1)")
    parser.add_argument("--work", type=Path, help="folder to work in (a temporary one)")
    parser.add_argument("--out", type=Path, default=_RESULTS, help="JSON file to write")
    asked = parser.parse_args()
    import_all()
    folder = (asked.work or Path(tempfile.mkdtemp(prefix="curate-killed-"))).absolute()
    # What is kept between runs is killed with them. Each job has a copy of this one.
    os.environ[CACHE] = str(folder / "cache")
    made = works(folder, asked.model)
    try:
        return max(_killed(made[verb], folder, asked) for verb in asked.verb or ("build", "rank"))
    except KeyboardInterrupt:
        return 130


def _killed(work: Work, folder: Path, asked: argparse.Namespace) -> int:
    cores = lanes(asked.jobs)
    # With the cores that a trial has: the blows fall into the time that this run takes.
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores[0])
    # The first fills the caches: it would make the others look short.
    unharmed(work, folder / "first")
    whole, expected = unharmed(work, folder / "whole")
    os.sched_setaffinity(0, all_cores)
    _OUT.print(
        f"{work.name}, {asked.model}: unharmed {whole.seconds:.1f} s, {whole.changes} changes to the file system, "
        f"result {expected[:16]}; --seed {asked.seed}, folder {folder}"
    )

    def run(number: int) -> Trial:
        chance = random.Random(f"{asked.seed} {work.name} {number}")
        return killed(work, folder / f"{work.name}-{number}", chance, whole, expected)

    before = _before(asked, work)
    kinds: collections.Counter[str] = collections.Counter(before["blows"])
    came, faults, told = before["killed_before_the_end"], before["faults"], 0
    numbers = range(asked.first, asked.first + asked.times)
    done = folder / f"{work.name}-ended-{asked.seed}"
    try:
        for number, trial in in_order(run, numbers, cores, done, Path(os.environ[CACHE])):
            came, told = came + trial.came, told + 1
            kinds["process, before a change" if "change" in trial.blow else trial.blow.split(" ")[0]] += 1
            if trial.fault:
                fault = trial.fault.replace(str(folder), "FOLDER")
                faults.append({"number": number, "blow": trial.blow, "fault": fault})
                _OUT.print(f"  {number}: {trial.blow}: {trial.fault}")
            _store(asked, work, {"blows": dict(kinds), "killed_before_the_end": came, "faults": faults})
    except KeyboardInterrupt:
        later = len(ended_later(done, numbers, told))
        _OUT.print(
            f"  stopped: {told} stored, {later} of later numbers kept in {done}; goes on with --work {folder} "
            f"--verb {work.name} --seed {asked.seed} --first {asked.first + told} --times {asked.times - told}",
            soft_wrap=True,
        )
        raise
    _OUT.print(f"  {sum(kinds.values())} blows, {came} before the end, {len(faults)} faults")
    return 1 if faults else 0


def _before(asked: argparse.Namespace, work: Work) -> dict[str, Any]:
    """What is stored of the kills before the first one, where that is of the same seed."""
    stored = read_json(asked.out) if asked.out.is_file() else {}
    row: dict[str, Any] = stored.get(_name(asked, work), {})
    if row.get("seed") == asked.seed and sum(row["blows"].values()) == asked.first:
        return row
    return {"blows": {}, "killed_before_the_end": 0, "faults": []}


def _name(asked: argparse.Namespace, work: Work) -> str:
    return f"{work.name}, {asked.model}"


def _store(asked: argparse.Namespace, work: Work, found: dict[str, Any]) -> None:
    results: dict[str, Any] = read_json(asked.out) if asked.out.is_file() else {}
    results[_name(asked, work)] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": curator.__version__,
        "seed": asked.seed,
        **found,
    }
    write_json(asked.out, results)


if __name__ == "__main__":
    sys.exit(main())
