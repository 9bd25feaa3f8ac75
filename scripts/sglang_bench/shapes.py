"""What the flat arrays save: one window's lists in both shapes, in bytes and in our processor time."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from curator._errors import ServerError
from curator.serve.faults import Fault, failed
from curator.serve.http import Connection
from curator.serve.interface import Window
from curator.serve.sglang.answer import read_scores
from curator.serve.sglang.arrays import FLAT
from curator.serve.sglang.session import scoring

_REPEATS = 20


def compare_shapes(connection: Connection, window: Window, top_k: int, vocabulary: int) -> dict[str, Any]:
    """Bytes and milliseconds (JSON and checks) a scored token, of flat arrays and of nested lists.

    Raises:
        ServerError: the server did not answer.
    """
    found: dict[str, Any] = {}
    scores = []
    for shape, fields in (("flat_base64", {}), ("nested_lists", dict.fromkeys(FLAT, False))):
        body = {**scoring([window], top_k).body([f"curate-bench-{shape}-{time.time_ns()}"]), **fields}
        answer = connection.attempt("/generate", body)
        if isinstance(answer, Fault):
            raise ServerError(failed(f"{connection.url}/generate", 1, answer))
        text = json.dumps(answer, separators=(",", ":")).encode()
        start = time.process_time()
        for _ in range(_REPEATS):
            scores.append(read_scores(json.loads(text)[0], window, top_k, vocabulary))
        seconds = (time.process_time() - start) / _REPEATS
        found[shape] = {
            "bytes_per_token": round(len(text) / window.scored, 1),
            "our_milliseconds_per_token": round(seconds * 1e3 / window.scored, 4),
        }
    found["largest_difference"] = float(np.abs(scores[0].top_logprobs - scores[-1].top_logprobs).max())
    return found
