"""Rankings of several kinds measured by one pool: for a machine that is at hand for minutes only.

python -m data_experiments.together cpu gpu:mix,lengths check demo --work FOLDER --workers 28 --device cuda

Each has its folder below --work: ``cpu`` and ``gpu`` are scales of the experiments (some of them behind a colon),
``check`` the ranking of scripts/check_ranking, ``demo`` that of `scripts/demo --draws 5`. All sets are built
before; nothing is built here. The same command goes on where a stopped one was.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ranking_check.plans import check_plan, demo_plan

from curator._errors import CurateError
from curator._progress import Narrator
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL
from curator.rank.plan import Plan
from data_experiments.layout import ExperimentFolder
from data_experiments.measure import rankings_of
from data_experiments.pool import Ranking, measure_together
from data_experiments.registered import registered

_MODELS = {"cpu": "smollm2", "check": "smollm2", "demo": "smollm2", "gpu": "gemma"}


def main(words: Sequence[str] | None = None) -> int:
    """Measure and rank; returns the exit code."""
    asked = _asked(words)
    shown = narrator()
    try:
        rankings = [ranking for what in asked.rankings for ranking in _rankings(asked, what, shown)]
        measure_together(rankings, asked.workers, shown)
    except CurateError as error:
        sys.stderr.write(f"together: {error}\n")
        return 1
    return 0


def _rankings(asked: argparse.Namespace, what: str, shown: Narrator) -> list[Ranking]:
    name, _, experiments = what.partition(":")
    folder, model = asked.work / name, getattr(asked, _MODELS[name])
    if name in registered().scales:
        place = ExperimentFolder(folder, name, model, device=asked.device)
        chosen = tuple(experiments.split(",")) if experiments else ()
        return rankings_of(place, place.registered.asked(name, chosen), shown)
    make = check_plan if name == "check" else demo_plan
    return [Ranking(name, make(folder, model or DEFAULT_MODEL, asked.device), partial(_nothing))]


def _nothing(_plan: Plan) -> None:
    """The ranking stays in its own folder."""


def _name(text: str) -> str:
    if text.partition(":")[0] not in _MODELS:
        raise argparse.ArgumentTypeError(f"{text}: choose from {', '.join(_MODELS)}")
    return text


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m data_experiments.together", description=__doc__)
    parser.add_argument("rankings", nargs="+", type=_name, help="cpu, gpu, check, demo: those to come first")
    parser.add_argument("--work", type=Path, required=True, help="folder of their folders")
    parser.add_argument("--workers", type=int, required=True, help="sets quantised and scored at once")
    parser.add_argument("--device", default="cuda", help="as `curate rank`; workers share GPUs (cuda)")
    parser.add_argument("--smollm2", help="folder of the embedded model, where its package is not installed")
    parser.add_argument("--gemma", help="folder of the gpu scale's model")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
