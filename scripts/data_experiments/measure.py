"""Measuring experiments one after another, each as a ranking of its own in the run folder of its prompts."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from curator._files import atomic_folder, read_json
from curator._progress import Narrator
from curator.rank.experiment import run
from curator.rank.plan import Plan
from data_experiments.pieces import measure_pieces
from data_experiments.workplace import Workplace

_KEPT = ("ranking.json", "report.html", "plan.json", "ledger.json")


def measure(place: Workplace, experiments: Sequence[str], workers: int, narrator: Narrator) -> None:
    """Rank the arms of each experiment and keep the ranking beside the run, which the next one goes on in.

    Args:
        place: where `build` has been.
        experiments: in their order.
        workers: sets that are quantised and scored at once; 1 leaves it to the ranking.
        narrator: told how far it is.

    Raises:
        CurateError: as the steps say; what is done is found again.
    """
    for number, name in enumerate(experiments, 1):
        plan = place.plan(name)
        if _is_kept(place, name, plan):
            narrator.say(f"experiment {name} ({number} of {len(experiments)}): done before")
            continue
        narrator.say(f"experiment {name} ({number} of {len(experiments)}): {plan.command}")
        if workers > 1:
            measure_pieces(plan, workers, narrator)
        run(plan, narrator)
        _keep(place, name, plan)


def _is_kept(place: Workplace, name: str, plan: Plan) -> bool:
    file = place.ranking(name) / "ranking.json"
    return file.is_file() and read_json(file)["run_key"] == plan.key()


def _keep(place: Workplace, name: str, plan: Plan) -> None:
    with atomic_folder(place.ranking(name)) as folder:
        for file in _KEPT:
            shutil.copy(plan.out / file, folder / file)
