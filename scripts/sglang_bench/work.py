"""What is asked: prompts of seeded ids, decoded, and scored over what was decoded."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from curator.serve.body import Traffic
from curator.serve.interface import Continuation, Window
from curator.serve.sglang import SGLang

_SHORTEST = 64


@dataclass(frozen=True, slots=True)
class Work:
    """Sizes of a run.

    Attributes:
        prompts: number of them.
        longest: tokens of the longest.
        tokens: decoded of each, and scored.
        top_k: length of the lists.
        seed: of the ids.
    """

    prompts: int
    longest: int
    tokens: int
    top_k: int
    seed: int


def make_prompts(work: Work, vocabulary: int) -> list[list[int]]:
    """Ids drawn evenly from the vocabulary; the lengths rise evenly on a log scale."""
    draw = np.random.default_rng(work.seed)
    lengths = np.exp(np.linspace(math.log(min(_SHORTEST, work.longest)), math.log(work.longest), work.prompts))
    return [draw.integers(0, vocabulary, size=round(length)).tolist() for length in lengths.tolist()]


def decode_and_score(
    server: SGLang, prompts: list[list[int]], work: Work, batch_size: int
) -> dict[str, dict[str, Any]]:
    """Figures of the two phases at one batch size."""
    tokens = [work.tokens] * len(prompts)
    answers = server.decode(prompts, tokens, work.top_k, batch_size, fields={}, params=[{}] * len(prompts))
    decode, continuations = _timed(server, answers, work.tokens)
    windows = [
        Window((*prompt, *answer.ids), len(prompt)) for prompt, answer in zip(prompts, continuations, strict=True)
    ]
    prefill, scores = _timed(server, server.score(windows, work.top_k, batch_size), work.tokens)
    moved = [
        np.abs(one.scores.chosen - other.chosen).max()
        for one, other in zip(continuations, scores, strict=True)
        if isinstance(one, Continuation) and one.scores is not None
    ]
    prefill["decoded_to_prefilled_logprob_max"] = round(float(max(moved)), 6)
    return {"decode": decode, "prefill": prefill}


def _timed(server: SGLang, results: Iterable[Any], tokens: int) -> tuple[dict[str, Any], list[Any]]:
    """A phase's figures, and its results."""
    before, wall, ours = Traffic(**asdict(server.traffic)), time.monotonic(), time.process_time()
    found = list(results)
    wall, ours = time.monotonic() - wall, time.process_time() - ours
    after = server.traffic
    figures = {
        "requests": after.requests - before.requests,
        "wall_seconds": round(wall, 3),
        "waiting_for_server_seconds": round(after.seconds - before.seconds, 3),
        "outside_server_share": round(1 - (after.seconds - before.seconds) / wall, 4),
        "our_processor_seconds": round(ours, 3),
        "our_processor_share": round(ours / wall, 4),
        "bytes_sent": after.sent - before.sent,
        "bytes_received": after.received - before.received,
        "bytes_received_per_token": round((after.received - before.received) / (len(found) * tokens), 1),
        "tokens_per_second": round(len(found) * tokens / wall, 2),
    }
    return figures, found
