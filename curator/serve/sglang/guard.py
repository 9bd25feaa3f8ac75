"""Noticing that other weights answer than those a run began with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from curator._errors import RefusedError
from curator.serve.probe import distance, same_weights

# Beyond what the same server shows between two probes in a row: nats, and times that difference.
_FLOOR, _TIMES = 0.002, 4.0


class Guard:
    """Compares what a server says it serves, and the logprobs of a fixed prompt, with those of the beginning.

    Args:
        url: of the server, for messages.
        identity: what must not change, read from the server now.
        probe: takes the fingerprint now.
        every: seconds after which another look is due.
    """

    def __init__(
        self, url: str, identity: Callable[[], Mapping[str, str]], probe: Callable[[], str], every: float
    ) -> None:
        self._url, self._identity, self._probe, self._every = url, identity, probe, every
        self._facts: dict[str, str] = {}
        self._first: str | None = None
        self._tolerance = 0.0
        self._looked = 0.0

    def start(self) -> str:
        """Take the first fingerprint; the later ones are compared with it."""
        if self._first is None:
            self._facts = dict(self._identity())
            first = self._probe()
            # Once more: some servers' kernels do not give the same bits twice.
            self._tolerance = _FLOOR + _TIMES * distance(first, self._probe())
            self._first, self._looked = first, time.monotonic()
        return self._first

    def begin(self) -> None:
        """Before a run: take the first fingerprint, or compare with it.

        Raises:
            RefusedError: the server serves something else now.
        """
        if self._first is None:
            self.start()
        else:
            self.check()

    def due(self) -> bool:
        """Whether the last look is long ago."""
        return time.monotonic() - self._looked >= self._every

    def check(self, *, restarted: bool = False) -> None:
        """Look again.

        Args:
            restarted: the connection was lost before: kernels may have been chosen anew.

        Raises:
            RefusedError: the server serves something else now.
        """
        first = self.start()
        facts = self._identity()
        for name in self._facts.keys() | facts.keys():
            if self._facts.get(name) != facts.get(name):
                self._refuse(f"{name} was {self._facts.get(name)!r}, now it is {facts.get(name)!r}")
        now = self._probe()
        if distance(first, now) > self._tolerance and not (restarted and same_weights(first, now)):
            self._refuse(f"the logprobs of a fixed prompt moved by {distance(first, now):.3f} nats")
        if restarted:
            self._first = now
        self._looked = time.monotonic()

    def check_answer(self, answer: Mapping[str, Any]) -> None:
        """Compare the weights that an answer names.

        Raises:
            RefusedError: they are others.
        """
        meta = answer.get("meta_info")
        version = meta.get("weight_version") if isinstance(meta, dict) else None
        first = self._facts.get("weight_version")
        if None not in (version, first) and str(version) != first:
            self._refuse(f"weight_version was {first!r}, an answer says {str(version)[:40]!r}")

    def _refuse(self, what: str) -> None:
        raise RefusedError(
            f"{self._url}: the model changed while it was measured ({what}); results since the last good look "
            "are of no one model: serve one model throughout and run the same command again"
        )
