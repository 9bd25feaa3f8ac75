"""The client of the stub, with waits that suit a test."""

from __future__ import annotations

from typing import Any

import numpy as np
from stub_sglang import VOCABULARY, Stub

from curator.serve.interface import Scores, Window
from curator.serve.sglang import SGLang

WINDOW = Window((3, 17, 5, 22, 9, 31), 2)


def connect(stub: Stub | str, **settings: Any) -> SGLang:
    quick: dict[str, Any] = {"backoff": 0.01, "wait": 5.0, "refused_wait": 0.2, "restart_wait": 5.0}
    url = stub if isinstance(stub, str) else stub.url
    return SGLang(url, **{"vocabulary": VOCABULARY, **quick, **settings})


def score_one(stub: Stub, window: Window = WINDOW, k: int = 8) -> Scores:
    (scores,) = connect(stub).score([window], k, 8)
    return scores


def changed(path: tuple[Any, ...], value: Any) -> Any:
    def fault(answer: dict[str, Any]) -> None:
        target = answer
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return fault


def same(found: list[Scores], clean: list[Scores]) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for one, other in zip(found, clean, strict=True)
        for name in ("top_ids", "top_logprobs", "chosen")
    )
