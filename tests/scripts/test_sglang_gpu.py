"""The SGLang measurement's own counting."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from sglang_gpu.metered import Metered

from curator.serve.body import Traffic


class _Server:
    """Two requests of 10 bytes a result, 7 bytes back, half a second each."""

    def __init__(self) -> None:
        self.traffic = Traffic(requests=3, sent=100, received=200, seconds=9.0)
        self.notes = ["kept"]

    def score(self, windows: list[str], _top_k: int, _batch_size: int) -> Iterator[str]:
        for window in windows:
            self.traffic.requests += 2
            self.traffic.sent += 10
            self.traffic.received += 7
            self.traffic.seconds += 0.5
            yield window.upper()


def test_a_pass_is_counted_from_what_the_connection_carried_before_it() -> None:
    metered: Any = Metered(_Server())  # type: ignore[arg-type]
    assert metered.notes == ["kept"]
    assert list(metered.score(["a", "b"], 256, 8)) == ["A", "B"]
    (first,) = metered.passes
    assert first.pop("wall_seconds") >= 0
    assert first == {
        "pass": "score",
        "batch_size": 8,
        "prompts": 2,
        "requests": 4,
        "waiting_for_server_seconds": 1.0,
        "bytes_sent": 20,
        "bytes_received": 14,
    }
