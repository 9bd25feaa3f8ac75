"""Baselines and candidates through SGLang, by the functions that `curate baseline` and `curate score` use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from curator._progress import Silent, unseen
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.candidate import look_ahead, measure_candidate
from curator.measure.collect import collect
from curator.measure.comparable import check_comparable
from curator.measure.gate import Limits
from curator.measure.heldout import load_prompts
from curator.measure.score_document import Computed, Interval, score_document
from curator.measure.summary import prompt_means
from curator.rank.statistics import ArmKL, Design, arm_interval
from curator.serve.sglang import SGLang
from curator.tokens.tokenizer import Tokenizer
from sglang_gpu.metered import Metered


@dataclass(frozen=True, slots=True)
class Prompts:
    """A file of prompts and how it is measured.

    Attributes:
        file: as `curate baseline --heldout` takes it.
        baseline: folder of its baseline.
        sizes: batch sizes, the first is primary.
        tokens: decoded and scored of each prompt, fewer where the model ends sooner.
    """

    file: Path
    baseline: Path
    sizes: tuple[int, ...]
    tokens: int


def take(server: SGLang, tokenizer: Tokenizer, prompts: Prompts) -> dict[str, Any]:
    """Take a baseline; returns its size and what each pass took."""
    settings = Settings(
        tokens=prompts.tokens, max_new=prompts.tokens, batch_sizes=prompts.sizes, full=False, phases=PHASES
    )
    metered: Any = Metered(server)
    baseline = collect(metered, tokenizer, load_prompts(prompts.file), settings, prompts.baseline, unseen)
    lengths = [window.prompt for window in baseline.windows]
    files = sum(file.stat().st_size for file in prompts.baseline.iterdir())
    return {
        "prompts": len(lengths),
        "prompt_tokens": {"sum": sum(lengths), "least": min(lengths), "most": max(lengths)},
        "scored_tokens": baseline.manifest["scored_tokens"],
        "folder_bytes": files,
        "plain_bytes": baseline.manifest["scored_tokens"] * baseline.top_k * 8 * len(PHASES) * len(prompts.sizes),
        "mass": baseline.manifest.get("mass", {}),
        "passes": metered.passes,
        "notes": list(server.notes),
    }


def measure(server: SGLang, prompts: Prompts, sizes: tuple[int, ...] = ()) -> dict[str, Any]:
    """Score a server against a baseline; returns what `curate score` tells, and what each pass took."""
    baseline = Baseline(prompts.baseline)
    warnings = check_comparable(baseline, server)
    metered: Any = Metered(server)
    ahead = look_ahead(baseline, metered, sizes, PHASES)
    measured = measure_candidate(baseline, metered, ahead, Silent())
    computed = Computed(server.facts().get("scheme", "BF16"), server.facts().get("dtype", ""))
    document = score_document(baseline, measured, _interval(baseline), Limits(), computed, warnings)
    lines = [
        {**line, "kl_interval_95": _interval(baseline)(one.table)}
        for line, one in zip(document["measured"], measured, strict=True)
    ]
    kept = ("scheme", "conditions", "batch_sd", "floors", "by_length", "warnings")
    told = {name: document[name] for name in kept if name in document}
    return {**told, "measured": lines, "unforced": ahead.unforced, "passes": metered.passes}


def _interval(baseline: Baseline) -> Callable[[pd.DataFrame], Interval]:
    """The 95 % interval of a table's mean KL over prompts, all tasks weighing the same."""
    tasks = tuple(prompt["task"] for prompt in baseline.prompts)
    design = Design(tasks, {task: 1 / len(set(tasks)) for task in tasks}, data_acts="weights")
    names = [prompt["id"] for prompt in baseline.prompts]

    def interval(table: pd.DataFrame) -> Interval:
        values = prompt_means(table, "kl", names)
        return arm_interval(ArmKL("candidate", values[None], False, False), design)

    return interval
