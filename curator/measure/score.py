"""A candidate against the baseline: one row of numbers for each scored token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from curator._errors import InputError
from curator._progress import Advance
from curator.measure.baseline import Baseline, pick
from curator.measure.baseline_settings import Phase
from curator.measure.fits import Shapes, has_shapes
from curator.measure.full import divergences
from curator.measure.lists_file import Arrays, rounded
from curator.measure.partial import Partial
from curator.measure.sparse import sparse_divergences
from curator.serve.interface import Scores, Server

_COLUMNS = (
    "position",
    "kl",
    "kl_union",
    "kl_lumped",
    "kl_uniform",
    "js",
    "cosine",
    "top1",
    "choice",
    "delta_logprob",
)
_SHAPES: Shapes = {
    **dict.fromkeys(_COLUMNS, ("f", 1)),
    "position": ("iu", 1),
    "choice": ("iu", 1),
    "full": ("b", 0),
}


def score_candidate(
    baseline: Baseline,
    server: Server,
    batch_size: int,
    advance: Advance,
    phase: Phase = "prefill",
    partial: Partial | None = None,
) -> pd.DataFrame:
    """Score the baseline's windows with a candidate.

    Args:
        baseline: see baseline.py.
        server: the candidate.
        batch_size: one that the baseline has.
        advance: called with the number of prompts done since the last call.
        phase: one that the baseline has at this batch size; ``decode`` takes the baseline's tokens one by one and
            needs a server that can be forced to.
        partial: keeps each prompt's numbers, so that a killed measurement goes on.

    Returns:
        One row a scored token: ``prompt``, ``task``, ``corpus``, ``position``; ``kl`` (full vocabulary where
        both sides have it, else the union estimate), ``kl_union``, ``kl_lumped``, ``kl_uniform``, ``js`` (NaN from
        lists), ``cosine``, ``top1``, ``choice`` (the id that the candidate prefers), ``delta_logprob`` (candidate
        minus baseline on the baseline's own token).
        ``frame.attrs`` has the ``estimator`` that ``kl`` is, and the smallest ``achieved`` batch.

    Raises:
        InputError: the baseline has no such batch size or phase, or the candidate gives what is no distribution.
    """
    stored = baseline.scores(batch_size, phase)

    def ask(begin: int) -> Iterator[Arrays]:
        rest = baseline.windows[begin:]
        method = server.score if phase == "prefill" else server.force
        for index, scores in enumerate(method(rest, baseline.top_k, batch_size), begin):
            yield _compared(baseline, index, stored[index], scores)

    def fits(index: int, arrays: Arrays) -> bool:
        rows = baseline.picked[index]
        known = has_shapes(arrays, _SHAPES) and np.array_equal(arrays["position"], rows)
        return known and all(len(arrays[name]) == len(rows) for name in _COLUMNS)

    if partial is None:
        found = []
        for arrays in ask(0):
            batch = min(server.achieved.get(batch_size, batch_size), len(stored))
            found.append({**arrays, "batch": np.array(batch)})
            advance(1)
    else:
        name, total = f"{phase}-{batch_size}", len(stored)
        partial.run(name, total, batch_size, ask, server, advance, fits)
        found = partial.results(name, total)
    table = pd.concat(
        [_frame(prompt, arrays) for prompt, arrays in zip(baseline.prompts, found, strict=True)], ignore_index=True
    )
    full = all(bool(arrays["full"]) for arrays in found)
    table.attrs["estimator"] = "full vocabulary" if full else f"top-{baseline.top_k} union"
    table.attrs["achieved"] = min(int(arrays["batch"]) for arrays in found)
    return table


def _frame(prompt: dict[str, Any], arrays: Arrays) -> pd.DataFrame:
    frame = pd.DataFrame({name: arrays[name] for name in _COLUMNS})
    for place, (column, key) in enumerate((("prompt", "id"), ("task", "task"), ("corpus", "corpus"))):
        frame.insert(place, column, prompt[key])
    return frame


def _compared(baseline: Baseline, index: int, reference: Scores, candidate: Scores) -> Arrays:
    """The numbers of one prompt."""
    rows = baseline.picked[index]
    try:
        return _numbers(reference, rounded(pick(candidate, rows), "candidate"), baseline.vocabulary) | {
            "position": rows
        }
    except InputError as error:
        raise InputError(f"prompt {baseline.prompts[index]['id']}: {error}") from error


def _numbers(reference: Scores, candidate: Scores, vocabulary: int) -> Arrays:
    sparse = sparse_divergences(
        reference.top_ids, reference.top_logprobs, candidate.top_ids, candidate.top_logprobs, vocabulary
    )
    exact = {
        "kl": sparse["union"],
        "js": np.full(len(reference.chosen), np.nan),
        "cosine": sparse["cosine"],
        "top1": sparse["top1"],
    }
    full = reference.logits is not None and candidate.logits is not None
    if reference.logits is not None and candidate.logits is not None:
        exact = divergences(reference.logits, candidate.logits)
    return {
        **exact,
        "kl_union": sparse["union"],
        "kl_lumped": sparse["lumped"],
        "kl_uniform": sparse["uniform"],
        "choice": candidate.top_ids[:, 0].astype(np.int64),
        "delta_logprob": candidate.chosen.astype(np.float64) - reference.chosen,
        "full": np.array(full),
    }
