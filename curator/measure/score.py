"""A candidate against the baseline: one row of numbers for each scored token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from curator._errors import RefusedError
from curator.measure.baseline import Baseline
from curator.measure.full import divergences
from curator.measure.sparse import sparse_divergences
from curator.serve.interface import Scores, Server

# Facts that must be equal for KL to be comparable. Weights, quantisation and FP4 backend may differ.
COMPARABLE = (
    "backend",
    "version",
    "torch",
    "dtype",
    "device",
    "attention",
    "chunked_prefill_size",
    "kv_cache_dtype",
    "page_size",
    "radix_cache_off",
    "deterministic",
    "tensor_parallel",
    "data_parallel",
    "sampling",
)


def check_comparable(baseline: Baseline, server: Server, allow: tuple[str, ...] = ()) -> list[str]:
    """Compare the facts of both servers.

    Returns:
        A warning for each difference that ``allow`` names.

    Raises:
        RefusedError: any other difference, by name.
    """
    mine, theirs = server.facts(), baseline.manifest["server"]
    different = [name for name in COMPARABLE if mine.get(name) != theirs.get(name)]
    refused = [name for name in different if name not in allow]
    if refused:
        details = "; ".join(
            f"{name}: baseline {theirs.get(name)!r}, candidate {mine.get(name)!r}" for name in refused
        )
        raise RefusedError(
            f"not comparable with the baseline ({details}); measure both alike, or pass --allow {refused[0]} to "
            "mark the result as not comparable"
        )
    return [
        f"not comparable: {name} differs between baseline and candidate (--allow {name})" for name in different
    ]


def score_candidate(
    baseline: Baseline, server: Server, batch_size: int, advance: Callable[[int], None]
) -> pd.DataFrame:
    """Score the baseline's windows with a candidate.

    Args:
        baseline: see baseline.py.
        server: the candidate.
        batch_size: one that the baseline has.
        advance: called with the number of prompts done since the last call.

    Returns:
        One row a scored token: ``prompt``, ``task``, ``corpus``, ``position``; ``kl`` (full vocabulary where
        both sides have it, else the union estimate), ``kl_union``, ``kl_lumped``, ``js`` (NaN from lists),
        ``cosine``, ``top1``, ``delta_logprob`` (candidate minus baseline on the baseline's own token).
        ``frame.attrs["estimator"]`` says which ``kl`` is.
    """
    frames = []
    full = False
    stored = baseline.scores(batch_size)
    vocabulary = int(baseline.manifest["vocabulary"])
    served = server.score(baseline.windows, baseline.top_k, batch_size)
    for prompt, reference, candidate in zip(baseline.prompts, stored, served, strict=True):
        frame, full = _prompt_frame(reference, candidate, vocabulary)
        frame.insert(0, "prompt", prompt["id"])
        frame.insert(1, "task", prompt["task"])
        frame.insert(2, "corpus", prompt["corpus"])
        frames.append(frame)
        advance(1)
    table = pd.concat(frames, ignore_index=True)
    table.attrs["estimator"] = "full vocabulary" if full else f"top-{baseline.top_k} union"
    return table


def _prompt_frame(reference: Scores, candidate: Scores, vocabulary: int) -> tuple[pd.DataFrame, bool]:
    sparse = sparse_divergences(
        reference.top_ids, reference.top_logprobs, candidate.top_ids, candidate.top_logprobs, vocabulary
    )
    count = len(reference.chosen)
    full = reference.logits is not None and candidate.logits is not None
    if reference.logits is not None and candidate.logits is not None:
        exact = divergences(reference.logits, candidate.logits)
    else:
        exact = {
            "kl": sparse["union"],
            "js": np.full(count, np.nan),
            "cosine": sparse["cosine"],
            "top1": sparse["top1"],
        }
    columns = {
        "position": np.arange(count),
        "kl": exact["kl"],
        "kl_union": sparse["union"],
        "kl_lumped": sparse["lumped"],
        "js": exact["js"],
        "cosine": exact["cosine"],
        "top1": exact["top1"],
        "delta_logprob": candidate.chosen.astype(np.float64) - reference.chosen,
    }
    return pd.DataFrame(columns), full
