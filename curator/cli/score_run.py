"""One candidate, measured: what `curate score` does behind its options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from curator._files import json_sha256
from curator._progress import Narrator
from curator.cli.task_sample import TaskSample, TaskWish
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Phase
from curator.measure.candidate import Measured, look_ahead, measure_candidate, run_freely
from curator.measure.comparable import check_comparable, check_names
from curator.measure.gate import Limits
from curator.measure.partial import partial_folder
from curator.measure.repeats import jitter, within_jitter
from curator.measure.score_document import Interval, score_document
from curator.measure.summary import prompt_means
from curator.models.embedded import cache_folder
from curator.rank.statistical_design import MIN_PROMPTS
from curator.rank.statistics import ArmKL, Design, arm_interval
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Server
from curator.serve.probe import same_weights


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a candidate.

    Attributes:
        sizes: batch sizes; empty for all that the baseline has.
        phases: see `Settings.phases`.
        allow: facts that may differ.
        limits: what it must hold.
    """

    sizes: tuple[int, ...]
    phases: tuple[Phase, ...]
    allow: tuple[str, ...]
    limits: Limits

    def check(self, baseline: Baseline) -> None:
        """Refuse what the baseline does not have.

        Raises:
            InputError: a batch size or phase that was not taken, a damaged file, or a fact that there is not.
        """
        check_names(self.allow)
        for size in self.sizes or baseline.sizes:
            # Of a size at which only the departures were counted there are no lists.
            for phase in baseline.phases(size) if size in baseline.sizes else self.phases:
                baseline.scores(size, phase)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who is measured.

    Attributes:
        start: opens it; ``close`` gives it back.
        scheme: how it is computed, ``None`` for what a server says.
        name: where it is, which tells it from others when a killed measurement goes on.
        restarts: a second opening is a new start of a server.
    """

    start: Callable[[], Server]
    scheme: Scheme | None
    name: str
    restarts: bool


def measure_all(
    baseline: Baseline,
    candidate: Candidate,
    asked: Asked,
    repeats: int,
    tasks: TaskWish | None,
    narrator: Narrator,
) -> dict[str, Any]:
    """Measure a candidate, once or more; the document that is printed.

    Args:
        baseline: what it is compared with.
        candidate: see there.
        asked: see there.
        repeats: how often; the first run's numbers are the candidate's, the others tell how much they move.
        tasks: a sample to be answered too.
        narrator: shows progress.
    """
    sample = None if tasks is None else TaskSample(tasks, baseline)
    server = candidate.start()
    try:
        document, first = _measure(baseline, server, asked, candidate, 0, narrator)
        runs = [first]
        work = cache_folder() / "score" / json_sha256([candidate.name, candidate.scheme, "tasks"])[:32]
        document["tasks"] = None if sample is None else sample.compare(server, work, narrator)
        for number in range(1, repeats):
            narrator.say(f"again: {number + 1} of {repeats}")
            if candidate.restarts:
                server.close()
                server = candidate.start()
            runs.append(_measure(baseline, server, asked, candidate, number, narrator)[1])
    finally:
        server.close()
    document["jitter"] = jitter(runs, "restart" if candidate.restarts else "run") if repeats > 1 else []
    document["warnings"] += _near_limits(document, asked.limits)
    return document


def _near_limits(document: dict[str, Any], limits: Limits) -> list[str]:
    """A word on each limit that another run of the same candidate may break or hold."""
    found = []
    for line, moved in zip(document["measured"], document["jitter"], strict=False):
        for limit, value, sd, words in (
            (limits.max_kl, line["kl_mean"], moved["kl_sd"], "mean KL"),
            (limits.min_top1, line["top1"], moved["top1_sd"], "top-1 agreement"),
        ):
            if limit is not None and value is not None and within_jitter(value, limit, sd):
                found.append(
                    f"{line['phase']} at batch {line['batch_size']}: {words} {value:.4g} is nearer to the limit "
                    f"{limit:g} than two SDs of the same measurement ({sd:.2g}); another run may decide otherwise"
                )
    return found


def _measure(
    baseline: Baseline, server: Server, asked: Asked, candidate: Candidate, number: int, narrator: Narrator
) -> tuple[dict[str, Any], list[Measured]]:
    """One run: its document, and the passes of which it is made."""
    scheme, name = candidate.scheme, candidate.name
    warnings = check_comparable(baseline, server, asked.allow)
    if same_weights(str(baseline.manifest["weights"]), server.weights_probe()):
        warnings.append("the candidate has the baseline's own weights: is this the candidate?")
    ahead = look_ahead(baseline, server, asked.sizes, asked.phases)
    begun = {
        "baseline": json_sha256(baseline.manifest),
        "candidate": name,
        "scheme": scheme,
        "server": server.facts(),
    }
    again = [number] if number else []
    folder = cache_folder() / "score" / json_sha256([begun["baseline"], name, scheme, *again])[:32]
    with partial_folder(folder, begun, server, restart=True) as partial:
        measured = measure_candidate(baseline, server, ahead, narrator, partial)
        free = {} if number else run_freely(baseline, server, ahead, narrator)
    warnings += [*ahead.notes, *server.notes, *baseline.manifest.get("notes", [])]
    if ahead.unforced:
        warnings.append(f"decoding was not forced, the candidate wrote by itself: {ahead.unforced}")
    interval = _interval(baseline)
    if interval is None:
        warnings.append(f"no interval: a task with fewer than {MIN_PROMPTS} prompts has no variance over them")
    shown = scheme or server.facts().get("scheme", "as served")
    document = score_document(baseline, measured, interval or (lambda _: None), asked.limits, shown, warnings)
    return {**document, "free_running": free}, measured


def _interval(baseline: Baseline) -> Callable[[pd.DataFrame], Interval] | None:
    """What gives the interval of a table's mean KL over prompts; ``None`` when a task has too few of them."""
    tasks = tuple(prompt["task"] for prompt in baseline.prompts)
    if min(Counter(tasks).values()) < MIN_PROMPTS:
        return None
    names = [prompt["id"] for prompt in baseline.prompts]
    design = Design(tasks, {task: 1 / len(set(tasks)) for task in dict.fromkeys(tasks)}, data_acts="weights")

    def interval(table: pd.DataFrame) -> Interval:
        values = prompt_means(table, "kl", names)
        return arm_interval(ArmKL("candidate", values[None], False, False), design)

    return interval
