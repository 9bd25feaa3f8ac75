"""One candidate, measured: what `curate score` does behind its options."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from curator._durations import about
from curator._errors import RefusedError
from curator._files import json_sha256
from curator._progress import Narrator
from curator.cli.task_sample import TaskSample, TaskWish
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Phase
from curator.measure.candidate import Measured, look_ahead, measure_candidate, run_freely
from curator.measure.comparable import SAME, check_comparable, check_names
from curator.measure.gate import Limits, judge_chance
from curator.measure.partial import claimed, partial_folder
from curator.measure.repeats import jitter, within_jitter
from curator.measure.score_document import Computed, Interval, score_document
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
        gated: it must hold these, or a chance.
    """

    sizes: tuple[int, ...]
    phases: tuple[Phase, ...]
    allow: tuple[str, ...]
    limits: Limits
    gated: bool = False

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
    with ExitStack() as stack:
        # Before a server is started for what another process measures already.
        busy = f"another curate measures {candidate.name} against {baseline.folder} already"
        stack.enter_context(claimed(_folder(baseline, candidate, 0), {}, busy))
        begun = time.monotonic()
        server = stack.enter_context(_Opened(candidate))
        document, first = _measure(baseline, server.now, asked, candidate, 0, narrator)
        took = time.monotonic() - begun
        runs = [first]
        work = cache_folder() / "score" / json_sha256([candidate.name, candidate.scheme, "tasks"])[:32]
        document["tasks"] = None if sample is None else sample.compare(server.now, work, narrator)
        for number in range(1, repeats):
            narrator.say(f"again: {number + 1} of {repeats}, {about((repeats - number) * took)} left")
            begun = time.monotonic()
            if candidate.restarts:
                server.again()
            runs.append(_measure(baseline, server.now, asked, candidate, number, narrator)[1])
            took = time.monotonic() - begun
    chance = (document["tasks"] or {}).get("chance")
    if tasks is not None and chance is not None and tasks.min_chance:
        document["gate"] = judge_chance(document["gate"], chance, tasks.min_chance, document["judged"])
    document["jitter"] = jitter(runs, "restart" if candidate.restarts else "run") if repeats > 1 else []
    document["warnings"] += _near_limits(document, asked.limits)
    return document


class _Opened:
    """A candidate that is open, and can be opened anew."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self.now = candidate.start()

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.now.close()

    def again(self) -> None:
        """Close it, then open it."""
        self.now.close()
        self.now = self._candidate.start()


def _folder(baseline: Baseline, candidate: Candidate, number: int) -> Path:
    """Where one run's numbers are kept until it is done."""
    told = [json_sha256(baseline.manifest), candidate.name, candidate.scheme, *([number] if number else [])]
    return cache_folder() / "score" / json_sha256(told)[:32]


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
    warnings = check_comparable(baseline, server, asked.allow)
    if same_weights(str(baseline.manifest["weights"]), server.weights_probe()):
        same = "the candidate has the baseline's own weights"
        if asked.gated and SAME not in asked.allow:
            raise RefusedError(f"{same}, whose limits would hold; name the candidate, or give --allow {SAME}")
        warnings.append(f"{same}: is this the candidate?")
    ahead = look_ahead(baseline, server, asked.sizes, asked.phases)
    facts = server.facts()
    begun = {
        "baseline": json_sha256(baseline.manifest),
        "candidate": candidate.name,
        "scheme": candidate.scheme,
        "server": facts,
    }
    of = len(baseline.windows) * (len(ahead.passes) + len(ahead.free))
    with partial_folder(
        _folder(baseline, candidate, number),
        begun,
        server,
        restart=True,
        held=not number,
        of=of,
        narrator=narrator,
    ) as partial:
        measured = measure_candidate(baseline, server, ahead, narrator, partial)
        free = {} if number else run_freely(baseline, server, ahead, narrator, partial)
    warnings += [*ahead.notes, *server.notes, *baseline.manifest.get("notes", [])]
    if ahead.unforced:
        warnings.append(
            f"decoding was not forced, the candidate wrote by itself: {_covered(free, baseline)}{ahead.unforced}"
        )
    interval = _interval(baseline)
    if interval is None:
        warnings.append(
            f"no interval: a task with fewer than {MIN_PROMPTS} prompts has no variance over them; take a "
            "baseline with more, such as those of `curate heldout --per-task 16`"
        )
    computed = _computed(candidate, facts)
    document = score_document(baseline, measured, interval or _no_interval, asked.limits, computed, warnings)
    return {**document, "free_running": free, "judged": computed.words()}, measured


def _covered(free: Mapping[str, Any], baseline: Baseline) -> str:
    """How many of the scored tokens were compared by decoding that was not forced; empty where none was run."""
    scored = sum(map(len, baseline.picked))
    seen = [f"{run['tokens_while_following']:,} at batch {size}" for size, run in free.items()]
    return (
        f"of {scored:,} scored tokens decoding was compared at {' and '.join(seen)}, until it departs; "
        if seen
        else ""
    )


def _computed(candidate: Candidate, facts: Mapping[str, str]) -> Computed:
    scheme = candidate.scheme or facts.get("scheme", "as served")
    where = "in process" if facts.get("backend") == "transformers" else facts.get("weights", "")
    return Computed(scheme, facts.get("dtype", ""), where)


def _no_interval(_table: pd.DataFrame) -> Interval:
    """Of prompts that tell none."""
    return None


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
