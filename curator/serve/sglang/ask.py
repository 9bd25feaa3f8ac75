"""Asking a batch until it is answered: retries, restarts, smaller pieces where a server cannot take it whole."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from curator._errors import ServerError
from curator.serve.faults import Fault, failed
from curator.serve.http import Connection, unheard
from curator.serve.sglang import nested
from curator.serve.sglang.request import Batch

_PATH = "/generate"
# An answer that did not come in all of the time allowed will hardly come in it the third time.
_SLOW_TRIES = 2


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a failing server is borne with.

    Attributes:
        tries: how often a request is sent.
        backoff: seconds before the second try; doubled each time.
        starting: seconds to wait for a server that answers, but is not ready.
        absent: seconds to wait for one at whose address nothing answers any more.
    """

    tries: int
    backoff: float
    starting: float
    absent: float


@dataclass(slots=True)
class Asker:
    """Sends batches; one at a time is in the server.

    Attributes:
        connection: to the server.
        patience: with it.
        idle: waits until the server works on nothing and has forgotten its prefixes.
        came_back: called when a lost server answers again, before anything is asked of it; raises where it serves
            something else.
        gone: why no server will come back, in words; ``None`` where one may.
        note: tells the user what is no error.
        shares_prefixes: the server is known to share cached prefixes between prompts of different names.
        loads: reads an answer's JSON.
        pieces: prompts that ran together, by the batch size asked, where that is less.
    """

    connection: Connection
    patience: Patience
    idle: Callable[[], None]
    came_back: Callable[[], None]
    gone: Callable[[], str | None]
    note: Callable[[str], None]
    shares_prefixes: bool = False
    loads: Callable[[bytes], Any] = nested.loads
    pieces: dict[int, int] = field(default_factory=dict)
    _name: str = field(default_factory=lambda: uuid.uuid4().hex)
    # Two threads ask: one reads its answer while the other's request is in the server.
    _asked: Iterator[int] = field(default_factory=count)
    _turn: AbstractContextManager[Any] = field(default_factory=threading.RLock)

    def ask(self, batch: Batch, batch_size: int, arrived: Callable[[], None] = unheard) -> list[dict[str, Any]]:
        """One answer for each prompt, in order.

        Args:
            batch: the prompts.
            batch_size: that they are a batch of.
            arrived: called when the server has answered all of it, and the answer is yet to be read.

        Raises:
            ServerError: the server refused, failed to the end, or did not answer a list of results.
            RefusedError: it came back with another model.
        """
        size = self.pieces.get(batch_size, len(batch.rows))
        answers: list[dict[str, Any]] = []
        while len(answers) < len(batch.rows):
            piece = batch.part(len(answers), len(answers) + size)
            last = len(answers) + size >= len(batch.rows)
            got = self._whole(piece, arrived if last else unheard)
            if isinstance(got, Fault):
                if got.kind != "busy" or len(piece.rows) == 1:
                    raise ServerError(failed(self._where, self._tries(got), got))
                size = self.pieces[batch_size] = len(piece.rows) // 2
                self.note(
                    f"batch size {batch_size}: the server failed at {len(piece.rows)} prompts at once "
                    f"({got.text}); {size} at a time were asked"
                )
                continue
            answers += got
        return answers

    def once(self, batch: Batch) -> list[dict[str, Any]]:
        """The same for a batch that is no measurement: neither split nor asked again after a restart.

        Raises:
            ServerError: it was not answered after all tries.
        """
        got = self._tried(batch, "look", lambda _fault: None, unheard)
        if isinstance(got, Fault):
            raise ServerError(failed(self._where, self._tries(got), got))
        return got

    def wait(self) -> None:
        """Wait for a server that may be gone for a while.

        Raises:
            ServerError: it did not come back.
        """
        reason = self.gone()
        if reason is not None:
            raise ServerError(f"{self.connection.url}: {reason}; run the same command again to go on")
        try:
            self.connection.wait_until_healthy(self.patience.starting, self.patience.absent)
        except ServerError as error:
            raise ServerError(f"{error} Start it and run the same command again to go on") from error

    @property
    def _where(self) -> str:
        return f"{self.connection.url}{_PATH}"

    def _tries(self, fault: Fault) -> int:
        return min(self.patience.tries, _SLOW_TRIES) if fault.kind == "slow" else self.patience.tries

    def _whole(self, batch: Batch, arrived: Callable[[], None]) -> list[dict[str, Any]] | Fault:
        """The answers; asked again where some of a prompt's logprobs may stem from another request's cache."""
        if self.shares_prefixes:
            # No other request may come between.
            with self._turn:
                self.idle()
                return self._tried(batch, "ask", self._recover, unheard)
        answers = self._tried(batch, "ask", self._recover, arrived)
        if isinstance(answers, Fault) or not any(map(_cached, answers)):
            return answers
        self.shares_prefixes = True
        self.note("the server shares cached prefixes between requests; its cache is emptied before each batch")
        return self._whole(batch, unheard)

    def _tried(
        self, batch: Batch, kind: str, recover: Callable[[Fault], None], arrived: Callable[[], None]
    ) -> list[dict[str, Any]] | Fault:
        attempt, pause = 0, self.patience.backoff
        while True:
            names = self._names(kind, len(batch.rows))
            answers = self.connection.attempt(_PATH, batch.body(names), arrived, self.loads)
            if not isinstance(answers, Fault):
                return self._listed(answers, names)
            attempt += 1
            if attempt >= self._tries(answers):
                return answers
            time.sleep(max(pause, answers.pause))
            pause *= 2
            recover(answers)

    def _recover(self, fault: Fault) -> None:
        """See that the server can be asked again, and that nothing else will be in the next try's batch."""
        if fault.kind == "garbled":
            return
        self.wait()
        if fault.kind == "lost":
            self.came_back()
        self.idle()

    def _names(self, kind: str, number: int) -> list[str]:
        """A name for each prompt that no other has ever had; see ``Batch.body``."""
        return [f"curate-{kind}-{self._name}-{next(self._asked)}" for _ in range(number)]

    def _listed(self, answers: Any, names: Sequence[str]) -> list[dict[str, Any]]:
        if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
            raise ServerError(f"{self._where} did not answer a list of results; is this an SGLang server?")
        if len(answers) != len(names):
            raise ServerError(f"{self._where}: {len(answers)} answers to a batch of {len(names)}; see its own log")
        for answer, name in zip(answers, names, strict=True):
            meta = answer.get("meta_info")
            if isinstance(meta, dict) and meta.get("id", name) != name:
                raise ServerError(
                    f"{self._where}: answers of other requests, or in another order; see its own log"
                )
        return answers


def _cached(answer: dict[str, Any]) -> bool:
    meta = answer.get("meta_info")
    return isinstance(meta, dict) and bool(meta.get("cached_tokens"))
