"""Command line: builds the sets of the experiments, measures them, and collects what came out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from curator._errors import CurateError, InputError
from curator._files import read_json, write_json
from curator.cli.progress import narrator
from curator.cli.rank_overview import show_overview
from data_experiments.build import build
from data_experiments.collect import collect
from data_experiments.layout import ExperimentFolder
from data_experiments.measure import measure
from data_experiments.registered import registered
from data_experiments.table import markdown

RESULTS = Path(__file__).with_name("results")


def main(words: Sequence[str] | None = None) -> int:
    """Do one step; returns the exit code."""
    asked = _asked(words)
    try:
        _step(asked)
    except CurateError as error:
        sys.stderr.write(f"what_data_does: {error}\n")
        return 1
    return 0


def _step(asked: argparse.Namespace) -> None:
    work = asked.work or Path("runs") / f"what-data-does-{asked.scale}"
    place = ExperimentFolder(work, asked.scale, asked.model, asked.draws, asked.device)
    names = place.registered.asked(asked.scale, tuple(asked.experiments))
    if asked.step == "build":
        build(place, names, narrator())
    elif asked.step == "plan":
        for name in names:
            show_overview(place.plan(name), as_json=False)
    elif asked.step == "measure":
        measure(place, names, asked.workers, narrator())
    elif asked.step == "collect":
        results = collect(place, names)
        file = asked.out or RESULTS / f"{asked.scale}.json"
        if asked.out is None and not results["as_registered"]:
            raise InputError("a dry run is no result; name another file with --out")
        write_json(file, results)
        sys.stdout.write(markdown(results))
    else:
        sys.stdout.write(markdown(read_json(asked.out or RESULTS / f"{asked.scale}.json")))


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/what_data_does", description=__doc__)
    parser.add_argument("step", choices=("build", "plan", "measure", "collect", "table"))
    parser.add_argument("experiments", nargs="*", help="some of them; all of the scale when left out")
    parser.add_argument("--scale", choices=tuple(registered().scales), default="cpu")
    parser.add_argument("--work", type=Path, help="folder for texts, recipes and runs (runs/what-data-does-SCALE)")
    parser.add_argument("--workers", type=int, default=1, help="sets quantised and scored at once (1)")
    parser.add_argument("--model", help="folder of the scale's model; with another model it is a dry run")
    parser.add_argument("--device", help="other than registered: the results say so")
    parser.add_argument("--draws", type=int, help="other than registered: then it is a dry run")
    parser.add_argument(
        "--out", type=Path, help="file of the results (scripts/data_experiments/results/SCALE.json)"
    )
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
