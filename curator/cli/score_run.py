"""One candidate, measured: what `curate score` does behind its options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from curator._files import json_sha256
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Phase
from curator.measure.candidate import look_ahead, measure_candidate, run_freely
from curator.measure.comparable import check_comparable
from curator.measure.gate import Limits
from curator.measure.partial import partial_folder
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
            InputError: a batch size or phase that was not taken, or a damaged file.
        """
        for size in self.sizes or baseline.sizes:
            for phase in baseline.phases(size) or self.phases:
                baseline.scores(size, phase)


def measure(
    baseline: Baseline, server: Server, asked: Asked, scheme: Scheme | None, name: str, narrator: Narrator
) -> dict[str, Any]:
    """Measure a candidate; the document that is printed.

    Args:
        baseline: what it is compared with.
        server: the candidate.
        asked: see there.
        scheme: how it is computed, ``None`` for what a server says.
        name: where it is, which tells it from others when a killed measurement goes on.
        narrator: shows progress.
    """
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
    folder = cache_folder() / "score" / json_sha256([begun["baseline"], name, scheme])[:32]
    with partial_folder(folder, begun, server, restart=True) as partial:
        measured = measure_candidate(baseline, server, ahead, narrator, partial)
        free = run_freely(baseline, server, ahead, narrator)
    warnings += [*ahead.notes, *server.notes, *baseline.manifest.get("notes", [])]
    if ahead.unforced:
        warnings.append(f"decoding was not forced, the candidate wrote by itself: {ahead.unforced}")
    interval = _interval(baseline)
    if interval is None:
        warnings.append(f"no interval: a task with fewer than {MIN_PROMPTS} prompts has no variance over them")
    shown = scheme or server.facts().get("scheme", "as served")
    document = score_document(baseline, measured, interval or (lambda _: None), asked.limits, shown, warnings)
    return {**document, "free_running": free}


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
