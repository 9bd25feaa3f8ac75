"""The worst prompts, in words: what BF16 wrote, and where and how each arm departs from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from curator.measure.baseline import Baseline
from curator.rank.statistical_design import ArmKL

EACH = 4
"""Prompts of the highest KL, and as many of the largest difference between the two arms."""
# Characters that are kept of the prompt's end and of the text's beginning, and around a departure.
_PROMPT, _TEXT, _BEFORE, _AFTER = 400, 400, 240, 160

Decode = Callable[[list[int]], str]


def worst_prompts(
    baseline: Baseline,
    arms: Sequence[ArmKL],
    tables: Mapping[str, pd.DataFrame],
    decode: Decode,
) -> list[dict[str, Any]]:
    """Prompts on which the arms do worst, and those on which they differ most.

    Args:
        baseline: the windows.
        arms: one or two of them, the one with the lower KL first.
        tables: per-token table of each arm's first draw, with the candidate's ``choice``.
        decode: text of token ids.

    Returns:
        ``id``, ``task``, ``why``, ``prompt`` (its end, as the model read it), ``text`` (the beginning of what BF16
        wrote) and ``arms``: `departure` of each, with its ``kl`` (mean over tokens and draws).
    """
    known = [arm for arm in arms if "choice" in tables[arm.name].columns]
    if not known:
        return []
    means = {arm.name: arm.values.mean(axis=0) for arm in known}
    chosen = _chosen(list(means.values()))
    rows = {name: dict(list(tables[name].groupby("prompt"))) for name in means}
    found = []
    for index, why in chosen.items():
        prompt, window = baseline.prompts[index], baseline.windows[index]
        given, text = list(window.ids[: window.prompt]), list(window.ids[window.prompt :])
        found.append(
            {
                "id": prompt["id"],
                "task": prompt["task"],
                "why": why,
                "prompt": decode(given)[-_PROMPT:],
                "text": decode(text)[:_TEXT],
                "arms": [
                    {
                        "arm": name,
                        "kl": float(mean[index]),
                        **departure(text, window.start - window.prompt, rows[name][prompt["id"]], decode),
                    }
                    for name, mean in means.items()
                ],
            }
        )
    return found


def departure(
    text: Sequence[int], skipped: int, rows: pd.DataFrame, decode: Decode
) -> dict[str, int | float | str | None]:
    """Where a candidate, given BF16's own text, first prefers another token.

    Args:
        text: ids that BF16 wrote.
        skipped: of them before the first that is scored.
        rows: the prompt's scored tokens: ``position`` (from the first that is scored), ``choice``, ``kl``.
        decode: text of token ids.

    Returns:
        ``scored`` tokens, how many of them ``differ``, ``departs`` (token from 1; ``None`` when it never does);
        then ``before`` (the end of the text before it), ``reference`` and ``choice`` (the two tokens), ``after``
        (how BF16 went on), ``kl_there``.
    """
    ordered = rows.sort_values("position")
    places = skipped + ordered["position"].to_numpy(dtype=np.int64)
    choices = ordered["choice"].to_numpy(dtype=np.int64)
    differs = np.flatnonzero(choices != np.array(text, dtype=np.int64)[places])
    counts: dict[str, int | float | str | None] = {"scored": len(places), "differ": len(differs)}
    if not len(differs):
        return {**counts, "departs": None}
    first = differs[0]
    place = int(places[first])
    before, through = decode(list(text[:place])), decode(list(text[: place + 1]))
    return {
        **counts,
        "departs": place + 1,
        "before": before[-_BEFORE:],
        "reference": _added(before, through),
        "choice": _added(before, decode([*text[:place], int(choices[first])])),
        "after": _added(through, decode(list(text)))[:_AFTER],
        "kl_there": float(ordered["kl"].iloc[first]),
    }


def _added(before: str, through: str) -> str:
    """What a token adds to a text; a character that it only completes counts as its own."""
    same = next((n for n, (a, b) in enumerate(zip(before, through, strict=False)) if a != b), len(before))
    return through[same:]


def _chosen(means: Sequence[np.ndarray[Any, np.dtype[np.float64]]]) -> dict[int, str]:
    """Prompts by index, with the reason for each."""
    level = np.mean(means, axis=0)
    chosen = {int(index): "highest KL" for index in np.argsort(-level, kind="stable")[:EACH]}
    if len(means) > 1:
        apart = means[-1] - means[0]
        left = [int(index) for index in np.argsort(-apart, kind="stable") if int(index) not in chosen]
        chosen |= {index: "largest difference" for index in left[:EACH] if apart[index] > 0}
    return chosen
