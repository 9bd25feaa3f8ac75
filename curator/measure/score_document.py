"""What is told of one candidate: the primary number, every line measured, floors, gates and warnings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from curator.measure.baseline import Baseline
from curator.measure.candidate import Measured
from curator.measure.floors import baseline_floors, batch_spread
from curator.measure.gate import Limits
from curator.measure.summary import score_summary

Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Computed:
    """How a candidate was computed.

    Attributes:
        scheme: such as ``W4A16``.
        dtype: compute type; empty where its server does not tell.
        where: such as ``in process``, or of a server's weights ``dequantised twin``; empty where that is not told.
    """

    scheme: str
    dtype: str = ""
    where: str = ""

    def words(self) -> str:
        """In a few words."""
        return ", ".join(filter(None, (self.scheme, self.where)))


# Share of the mean KL that the lower bound may miss without a word.
_OPEN = 0.2
_ONE_LINE = ("kl_mean", "kl_ci", "kl_median", "kl_p99", "kl_max", "kl_lower_bound", "cosine", "top1", "by_length")


def score_document(
    baseline: Baseline,
    measured: Sequence[Measured],
    interval: Callable[[pd.DataFrame], Interval],
    limits: Limits,
    computed: Computed,
    warnings: Sequence[str],
) -> dict[str, Any]:
    """The numbers of one candidate.

    Args:
        baseline: what it was measured against.
        measured: at least one pass, the primary number's first.
        interval: the interval of a table's mean KL, ``None`` where the prompts give none.
        limits: judged on every pass.
        computed: how the candidate was.
        warnings: what the user should know.

    Returns:
        The first pass's numbers (see `score_summary`); ``measured``, a line a pass; ``reference``, the name of
        what the baseline was computed in; ``dtypes`` of both; ``floors``; ``batch_sd``, the SD of the mean KL over
        batch sizes by phase; ``mass`` in the baseline's lists by task; ``gate``; ``under_floor``, the passes that
        are no further from the reference than it is from itself.
    """
    lengths = {
        str(prompt["id"]): window.prompt for prompt, window in zip(baseline.prompts, baseline.windows, strict=True)
    }
    summaries = [score_summary(one.table, interval(one.table), lengths) for one in measured]
    lines = [_line(one, summary) for one, summary in zip(measured, summaries, strict=True)]
    floors = baseline_floors(baseline)
    tasks = {prompt["task"] for prompt in baseline.prompts}
    first = measured[0]
    under = [f"{line['phase']} at batch {line['batch_size']}" for line in lines if _under(line, floors)]
    told = _about_floors(baseline.reference, under, floors)
    return {
        **summaries[0],
        "reference": baseline.reference,
        "scheme": computed.scheme,
        "dtypes": {"reference": baseline.manifest["server"].get("dtype", ""), "candidate": computed.dtype},
        "estimator": first.table.attrs["estimator"],
        "phase": first.phase,
        "batch_size": first.batch_size,
        "conditions": (
            f"{len(baseline.prompts)} prompts, {len(first.table):,} tokens"
            + (f", {len(tasks)} kinds of prompts weighing the same" if len(tasks) > 1 else "")
        ),
        "measured": lines,
        "batch_sd": _spreads(lines),
        "floors": floors,
        "mass": baseline.manifest.get("mass", {}),
        "gate": limits.judge(lines, computed.words()),
        "under_floor": under,
        "warnings": list(dict.fromkeys([*warnings, *told, *_about_lists(lines[0])])),
    }


def _line(one: Measured, summary: dict[str, Any]) -> dict[str, Any]:
    return {
        "phase": one.phase,
        "batch_size": one.batch_size,
        "batch_achieved": one.table.attrs["achieved"],
        "estimator": one.table.attrs["estimator"],
        **{name: summary[name] for name in _ONE_LINE if name in summary},
    }


def _spreads(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    found = {}
    for phase in dict.fromkeys(line["phase"] for line in lines):
        means = [line["kl_mean"] for line in lines if line["phase"] == phase and line["kl_mean"] is not None]
        spread = batch_spread(means)
        if spread is not None:
            found[str(phase)] = spread
    return found


def _about_lists(line: dict[str, Any]) -> list[str]:
    """A word where the lists leave the mean open: the less two models differ, the more is outside them."""
    mean, bound = line["kl_mean"], line.get("kl_lower_bound")
    if not mean or bound is None or bound > (1 - _OPEN) * mean:
        return []
    return [
        f"the lists leave the mean KL open from {bound:.4g} up, {mean:.4g} is an estimate that tends to be too "
        "high; take the baseline with a longer --top-k"
    ]


def _about_floors(name: str, under: Sequence[str], floors: dict[str, dict[str, Any]]) -> list[str]:
    """A word on each pass that is no further from the reference, by its name, than that is from itself."""
    found = [f"{one}: no further from {name} than {name} is from itself at another batch size" for one in under]
    if not floors:
        found.append("no noise floor: `curate baseline --batch-size 8 --batch-size 1` takes one")
    return found


def _under(line: dict[str, Any], floors: dict[str, dict[str, Any]]) -> bool:
    own = [floor["kl"] for floor in floors.values() if floor["phase"] == line["phase"] and floor["kl"] is not None]
    return bool(own) and line["kl_mean"] is not None and line["kl_mean"] <= max(own)
