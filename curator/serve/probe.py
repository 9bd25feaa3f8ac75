"""A fingerprint of the weights that answer: logprobs of a fixed short prompt."""

from __future__ import annotations

import math

import numpy as np

from curator.serve.interface import Scores, Window

_TOKENS = 17
# Mean difference of two fingerprints, in nats, up to which the weights are the same. BF16 kernels that are chosen
# anew after a restart move a logprob by a few hundredths; other weights of the same scheme by a tenth and more.
_SAME = 0.05


def probe_window(vocabulary: int) -> Window:
    """The prompt: ids spread over the vocabulary, all but the first of them scored."""
    # An odd step, so that no tokenizer's order of ids makes them a run of one kind.
    step = max(1, vocabulary * 7 // 11)
    return Window(tuple((index * step + index) % vocabulary for index in range(_TOKENS)), 1)


def fingerprint(scores: Scores) -> str:
    """Each position's likeliest and own logprob, in text: what a manifest can hold."""
    values = np.stack([scores.top_logprobs[:, 0], scores.chosen], axis=1).ravel()
    return " ".join(f"{value:.4f}" for value in values.tolist())


def distance(one: str, other: str) -> float:
    """Mean absolute difference of two fingerprints in nats; infinite where they are not two of a kind."""
    if one == other:
        return 0.0
    try:
        first, second = (np.array(text.split(), dtype=np.float64) for text in (one, other))
    except ValueError:
        return math.inf
    return float(np.abs(first - second).mean()) if first.shape == second.shape else math.inf


def same_weights(one: str, other: str) -> bool:
    """Whether two fingerprints are of the same weights, a restart of the server between them or not."""
    return distance(one, other) <= _SAME
