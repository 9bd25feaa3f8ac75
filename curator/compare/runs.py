"""Two rankings: what they ranked, and the KL of arms of the same name, paired by prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from curator._files import file_sha256
from curator.compare.change import Change, arrow, changes
from curator.compare.run_rule import check_runs
from curator.compare.stored_run import RANKING, Arm, Run, read_run
from curator.rank.pair_result import PairResult
from curator.rank.statistics import ArmKL, DataActs, Design
from curator.rank.verdict import compare_family, describe
from curator.recipe.all_methods import METHODS

SAME_RUN = "the same run"
# An arm's name in the first run and in the second.
Names = tuple[str, str]


def compare_runs(first: str, second: str, allow: Sequence[str] = ()) -> dict[str, Any]:
    """Compare two run folders.

    Args:
        first: a folder.
        second: a folder.
        allow: facts of the servers that may differ, see `check_runs`.

    Returns:
        ``differences`` by heading, ``pairs`` (each with ``by_task``), ``warnings`` and ``verdict``.

    Raises:
        InputError: no finished runs, or damaged ones.
        RefusedError: they were not measured alike.
    """
    a, b = read_run(first), read_run(second)
    warnings = check_runs(first, second, a, b, allow)
    both = _matched(a, b)
    pairs = [
        pair
        for null in (False, True)
        for pair in _pairs(a, b, [names for names in both if (a.named[names[0]].kind == "null") == null])
    ]
    if not both:
        warnings.append("no arm has the same name in both runs: there is nothing to pair")
    if any(not run.per_prompt.draws for run in (a, b)):
        warnings.append("a ranking that stored no KL by draw: verdicts are about these sets; rank again for more")
    return {
        "differences": {"plan": _plan_changes(a, b), "arms": _arm_changes(a, b, both)},
        "pairs": pairs,
        "warnings": warnings,
        "verdict": SAME_RUN if _is_one(first, second) else _verdict(pairs),
    }


def _is_one(first: str, second: str) -> bool:
    """Whether two folders hold one ranking: one folder, or a copy of it."""
    return file_sha256(Path(first, RANKING)) == file_sha256(Path(second, RANKING))


def _plan_changes(a: Run, b: Run) -> list[Change]:
    one, other = ({**run.primary.model_dump(mode="json"), **run.environment} for run in (a, b))
    return changes(one, other)


def _matched(a: Run, b: Run) -> list[Names]:
    """Arms of one name; or of one recipe and method, where only one of the runs names methods."""
    found = []
    for name, arm in a.named.items():
        same = [other.name for other in b.named.values() if arm.recipe and _made(other) == _made(arm)]
        partner = name if name in b.named else next(iter(same), None)
        if partner is not None:
            found.append((name, partner))
    return found


def _made(arm: Arm) -> tuple[str | None, str]:
    return arm.recipe, arm.method


def _arm_changes(a: Run, b: Run, both: Sequence[Names]) -> list[Change]:
    found = []
    for name, partner in both:
        one, other = a.named[name], b.named[partner]
        hashes = [[made.set_hash for made in arm.sets] for arm in (one, other)]
        if hashes[0] != hashes[1]:
            words = f"{name}: sets {arrow(*hashes)}"
            found.append(Change(("arms", name, "sets"), hashes[0], hashes[1], words))
        if one.method != other.method:
            words = f"{name}: method {arrow(one.method, other.method)}"
            found.append(Change(("arms", name, "method"), one.method, other.method, words))
    alone = [("first", name) for name in a.named if name not in {names[0] for names in both}]
    alone += [("second", name) for name in b.named if name not in {names[1] for names in both}]
    for run, name in alone:
        found.append(Change(("arms", name), run == "first", run == "second", f"{name}: only in the {run} run"))
    return found


def _pairs(a: Run, b: Run, both: Sequence[Names]) -> list[dict[str, Any]]:
    """Arms of these names, first against second, as one family."""
    arms = [(a.kl_of(name, f"{name} (first)"), b.kl_of(other, f"{other} (second)")) for name, other in both]
    floor = max(a.floors.used_sd, b.floors.used_sd)
    results = compare_family(arms, _design(a, a.primary.weights, floor, _data_acts(a, b, both)))
    return [_document(a, names[0], pair, result) for names, pair, result in zip(both, arms, results, strict=True)]


def _document(run: Run, name: str, arms: tuple[ArmKL, ArmKL], result: PairResult) -> dict[str, Any]:
    return {
        "name": name,
        **{key: value for key, value in asdict(result).items() if key not in ("a", "b")},
        "ci": list(result.ci),
        "words": describe(result),
        "by_task": {task: _of_task(run, task, arms) for task, weight in run.primary.weights.items() if weight > 0},
    }


def _of_task(run: Run, task: str, arms: tuple[ArmKL, ArmKL]) -> dict[str, Any]:
    """Exploratory: each task's interval holds by itself, and the floor of a task is not known."""
    weights = {name: float(name == task) for name in run.primary.weights}
    (found,) = compare_family([arms], _design(run, weights, 0.0, "weights"))
    return {"mean_first": found.mean_a, "mean_second": found.mean_b, "diff": found.diff, "ci": list(found.ci)}


def _design(run: Run, weights: dict[str, float], floor: float, data_acts: DataActs) -> Design:
    return Design(tuple(run.per_prompt.tasks), weights, floor_sd=floor, data_acts=data_acts)


def _data_acts(a: Run, b: Run, both: Sequence[Names]) -> DataActs:
    return what_data_changes(
        run.named[name].method or run.primary.method
        for names in both
        for run, name in zip((a, b), names, strict=True)
    )


def what_data_changes(methods: Iterable[Any]) -> DataActs:
    """What data changes under the methods of some arms; the less, the more of the spread is chance."""
    scales = any(str(method) in METHODS and METHODS[str(method)].data == "scales" for method in methods)
    return "activation-scales" if scales else "weights"


def _verdict(pairs: Sequence[dict[str, Any]]) -> str:
    apart = [pair["name"] for pair in pairs if pair["verdict"] != "tied"]
    if not pairs:
        return "nothing to compare"
    if not apart:
        return "no arm differs between the runs by more than chance"
    return f"{len(apart)} of {len(pairs)} arms differ between the runs: {', '.join(apart)}"
