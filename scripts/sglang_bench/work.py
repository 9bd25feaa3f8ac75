"""What is asked: prompts of seeded ids, decoded, and scored over what was decoded."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from curator._progress import Advance
from curator.measure.fits import Shapes, has_shapes
from curator.measure.lists_file import Arrays
from curator.measure.partial import Partial
from curator.serve.body import Traffic
from curator.serve.interface import Window
from curator.serve.sglang import SGLang

_SHORTEST = 64
_BATCHES = 4
_COUNTS = ("requests", "sent", "received", "seconds")
_SHAPES: Shapes = {"ids": ("iu", 2), "chosen": ("f", 2), "figures": ("f", 1)}


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


def slices(count: int, batch_size: int) -> list[slice]:
    """Parts of a run that are kept by themselves: a few whole batches each, so that little is lost by a stop."""
    step = _BATCHES * batch_size
    return [slice(begin, begin + step) for begin in range(0, count, step)]


def decode_and_score(
    server: SGLang, prompts: list[list[int]], work: Work, batch_size: int, partial: Partial, advance: Advance
) -> dict[str, dict[str, Any]]:
    """Figures of the two phases at one batch size; what ``partial`` has is not measured again."""
    parts = slices(len(prompts), batch_size)

    def decode(part: slice) -> Iterable[tuple[Any, Any]]:
        asked, tokens = prompts[part], [work.tokens] * len(prompts[part])
        for answer in server.decode(asked, tokens, work.top_k, batch_size, fields={}, params=[{}] * len(asked)):
            assert answer.scores is not None
            yield answer.ids, answer.scores.chosen

    decoded = _pass(server, f"decode-{batch_size}", parts, decode, work, partial, advance)
    written = np.concatenate([one["ids"] for one in decoded]).tolist()

    def score(part: slice) -> Iterable[tuple[Any, Any]]:
        pairs = zip(prompts[part], written[part], strict=True)
        windows = [Window((*prompt, *ids), len(prompt)) for prompt, ids in pairs]
        for window, scores in zip(windows, server.score(windows, work.top_k, batch_size), strict=True):
            yield window.ids[window.start :], scores.chosen

    read = _pass(server, f"prefill-{batch_size}", parts, score, work, partial, advance)
    tokens = len(prompts) * work.tokens
    figures = {"decode": _figures(decoded, tokens), "prefill": _figures(read, tokens)}
    moved = [np.abs(one["chosen"] - other["chosen"]).max() for one, other in zip(decoded, read, strict=True)]
    figures["prefill"]["decoded_to_prefilled_logprob_max"] = round(float(max(moved)), 6)
    return figures


def _pass(
    server: SGLang,
    name: str,
    parts: list[slice],
    measure: Callable[[slice], Iterable[tuple[Any, Any]]],
    work: Work,
    partial: Partial,
    advance: Advance,
) -> list[Arrays]:
    """What each part gave: ``ids`` and ``chosen`` logprobs [prompts, tokens], and its ``figures``."""

    def ask(begin: int) -> Iterator[Arrays]:
        for part in parts[begin:]:
            before, wall, ours = Traffic(**asdict(server.traffic)), time.monotonic(), time.process_time()
            ids, chosen = zip(*measure(part), strict=True)
            wall, ours, after = time.monotonic() - wall, time.process_time() - ours, server.traffic
            counts = [getattr(after, count) - getattr(before, count) for count in _COUNTS]
            yield {"ids": np.array(ids), "chosen": np.array(chosen), "figures": np.array([wall, ours, *counts])}

    def fits(_index: int, arrays: Arrays) -> bool:
        return has_shapes(arrays, _SHAPES) and arrays["ids"].shape == arrays["chosen"].shape

    partial.run(name, len(parts), 1, ask, server, advance, fits)
    return partial.results(name, len(parts))


def _figures(parts: list[Arrays], tokens: int) -> dict[str, Any]:
    wall, ours, requests, sent, received, waiting = np.sum([part["figures"] for part in parts], axis=0).tolist()
    return {
        "parts": len(parts),
        "requests": int(requests),
        "wall_seconds": round(wall, 3),
        "waiting_for_server_seconds": round(waiting, 3),
        "outside_server_share": round(1 - waiting / wall, 4),
        "our_processor_seconds": round(ours, 3),
        "our_processor_share": round(ours / wall, 4),
        "bytes_sent": int(sent),
        "bytes_received": int(received),
        "bytes_received_per_token": round(received / tokens, 1),
        "tokens_per_second": round(tokens / wall, 2),
    }
