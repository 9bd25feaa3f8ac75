"""Top-K lists as compact arrays, for one ``.npz`` file.

Ids and logprobs are planes of bytes, of which compression removes those that hold nothing. A list falls from its
first logprob, which is kept as it is, in whole steps of 2^-16 nats; the differences are stored, which are small. A
logprob moves by at most 7.7e-6. Baseline and candidate are rounded alike, so that equal lists stay equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.measure.sparse import logprobs_of
from curator.serve.interface import FloatArray, IntArray, Scores

Arrays = dict[str, NDArray[Any]]
NAMES = ("first", "falls", "ids", "chosen")
_STEP = 2.0**-16
_PLANES = 4


def rounded(scores: Scores, whose: str) -> Scores:
    """Scores whose lists are as a file gives them back: what is compared must be rounded alike."""
    lists = unpack(pack(scores, whose))
    return Scores(lists.top_ids, lists.top_logprobs, lists.chosen, scores.logits)


def pack(scores: Scores, whose: str = "baseline") -> Arrays:
    """The arrays of ``NAMES`` for lists [N, K]; logits are left out.

    Logprobs below ``sparse.LOWEST`` become it. A list that is out of order is put in order.

    Raises:
        InputError: a logprob is not a number; ``whose`` names the model.
    """
    logprobs = logprobs_of(scores.top_logprobs, whose)
    ids = scores.top_ids.astype(np.int64)
    if (np.diff(logprobs, axis=1) > 0).any():
        order = np.argsort(-logprobs, axis=1, kind="stable")
        logprobs = np.take_along_axis(logprobs, order, axis=1)
        ids = np.take_along_axis(ids, order, axis=1)
    levels = np.rint((logprobs[:, :1] - logprobs) / _STEP).astype(np.int64)
    return {
        "first": logprobs[:, 0].astype(np.float32),
        "falls": _planes(np.diff(levels, axis=1)),
        "ids": _planes(ids),
        "chosen": scores.chosen.astype(np.float32),
    }


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Scores:
    """The lists of `pack`'s arrays.

    Raises:
        ValueError: the arrays do not fit together.
    """
    first, falls, ids, chosen = (arrays[name] for name in NAMES)
    lists, length = ids.shape[1:]
    if not first.shape == chosen.shape == (lists,) or falls.shape != (_PLANES, lists, length - 1):
        raise ValueError(f"lists of {lists} tokens with {len(first)} first and {len(chosen)} own logprobs")
    levels = np.concatenate([np.zeros((lists, 1), dtype=np.int64), np.cumsum(_whole(falls), axis=1)], axis=1)
    logprobs: FloatArray = (first[:, None].astype(np.float64) - levels * _STEP).astype(np.float32)
    whole: IntArray = _whole(ids).astype(np.int32)
    return Scores(whole, logprobs, chosen)


def _planes(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Whole numbers below 2^32 [N, K] as bytes [4, N, K], the lowest first."""
    return np.stack([(values >> 8 * place & 255).astype(np.uint8) for place in range(_PLANES)])


def _whole(planes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers of `_planes`."""
    weights = np.int64(256) ** np.arange(_PLANES)
    numbers: NDArray[np.int64] = np.tensordot(weights, planes.astype(np.int64), axes=1)
    return numbers
