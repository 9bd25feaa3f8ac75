"""Measuring experiments, each as a ranking of its own in the run folder of its prompts."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial

from curator._files import atomic_folder, read_json
from curator._lock import folder_lock
from curator._progress import Narrator, Silent
from curator.rank.experiment import run
from curator.rank.plan import Plan
from data_experiments.layout import ExperimentFolder
from data_experiments.pieces import stored_arms
from data_experiments.pool import Ranking, measure_together

_KEPT = ("ranking.json", "report.html", "plan.json", "ledger.json")


def measure(place: ExperimentFolder, experiments: Sequence[str], workers: int, narrator: Narrator) -> None:
    """Rank the arms of each experiment and keep the ranking beside the run, which the next one goes on in.

    Args:
        place: where `build` has been; nothing is built here.
        experiments: in their order.
        workers: sets that are quantised and scored at once, of all experiments; 1 leaves it to the rankings, one
            after another.
        narrator: told how far it is.

    Raises:
        CurateError: as the steps say; what is done is found again.
    """
    rankings = rankings_of(place, experiments, narrator)
    if workers > 1:
        measure_together(rankings, workers, narrator)
        return
    for number, ranking in enumerate(rankings, 1):
        narrator.say(f"{ranking.name} ({number} of {len(rankings)}): {ranking.plan.command}")
        with folder_lock(ranking.plan.out):
            stored_arms(ranking.plan, Silent())
        run(ranking.plan, narrator)
        ranking.keep(ranking.plan)


def rankings_of(place: ExperimentFolder, experiments: Sequence[str], narrator: Narrator) -> list[Ranking]:
    """The rankings of a scale that are not kept yet."""
    found = []
    for name in experiments:
        plan = place.plan(name)
        if _is_kept(place, name, plan):
            narrator.say(f"experiment {name}: done before")
        else:
            found.append(Ranking(f"{place.scale_name} {name}", plan, partial(keep, place, name)))
    return found


def keep(place: ExperimentFolder, name: str, plan: Plan) -> None:
    """Copy a ranking out of the run folder, where the next one will replace it."""
    with atomic_folder(place.ranking(name)) as folder:
        for file in _KEPT:
            shutil.copy(plan.out / file, folder / file)


def _is_kept(place: ExperimentFolder, name: str, plan: Plan) -> bool:
    file = place.ranking(name) / "ranking.json"
    return file.is_file() and read_json(file)["run_key"] == plan.key()
