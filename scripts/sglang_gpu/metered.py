"""A server whose passes are timed and counted while they are used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from curator.serve.body import Traffic
from curator.serve.sglang import SGLang


class Metered:
    """Hands everything on to an SGLang server and notes what each pass took.

    Args:
        server: the server.

    Attributes:
        passes: one entry a pass: what was asked, at which batch size, and its figures.
    """

    def __init__(self, server: SGLang) -> None:
        self._server = server
        self.passes: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        """All that is not a pass."""
        return getattr(self._server, name)

    def generate(self, prompts: Any, sampling: Any, batch_size: int, **more: Any) -> Iterator[Any]:
        """See `Server.generate`."""
        return self._timed("generate", batch_size, self._server.generate(prompts, sampling, batch_size, **more))

    def score(self, windows: Any, top_k: int, batch_size: int) -> Iterator[Any]:
        """See `Server.score`."""
        return self._timed("score", batch_size, self._server.score(windows, top_k, batch_size))

    def force(self, windows: Any, top_k: int, batch_size: int) -> Iterator[Any]:
        """See `Server.force`."""
        return self._timed("force", batch_size, self._server.force(windows, top_k, batch_size))

    def _timed(self, what: str, batch_size: int, results: Iterator[Any]) -> Iterator[Any]:
        before, wall = Traffic(**asdict(self._server.traffic)), time.monotonic()
        count = 0
        for result in results:
            count += 1
            yield result
        wall, after = time.monotonic() - wall, self._server.traffic
        self.passes.append(
            {
                "pass": what,
                "batch_size": batch_size,
                "prompts": count,
                "requests": after.requests - before.requests,
                "wall_seconds": round(wall, 2),
                "waiting_for_server_seconds": round(after.seconds - before.seconds, 2),
                "bytes_sent": after.sent - before.sent,
                "bytes_received": after.received - before.received,
            }
        )
