"""A limit on the whole time of a request: a socket's timeout is for each piece, and pieces may be single bytes."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

from requests.adapters import HTTPAdapter


class DeadlineAdapter(HTTPAdapter):
    """Sends one request at a time, and can end the one that is under way from another thread."""

    def __init__(self) -> None:
        self._latest: list[Any] = []
        super().__init__()

    def get_connection_with_tls_context(self, *asked: Any, **more: Any) -> Any:
        """The pool for a request, whose connections are noted when they are made."""
        pool: Any = super().get_connection_with_tls_context(*asked, **more)
        if not issubclass(pool.ConnectionCls, _Noted):
            noted = type("Noted", (_Noted, pool.ConnectionCls), {"latest": self._latest})
            pool.ConnectionCls = noted
        return pool

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[threading.Event]:
        """For the body, which makes a request: end it after so long.

        What the request then gives, an error or half an answer, is no answer: see that the event is not set.
        """
        late = threading.Event()
        timer = threading.Timer(seconds, self._end, (late,))
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()

    def _end(self, late: threading.Event) -> None:
        late.set()
        for connection in self._latest:
            # There is none before it is connected, which has a time limit of its own, nor after it was closed.
            with contextlib.suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)


class _Noted:
    """Part of a connection's class: the latest that connects is noted."""

    latest: list[Any]

    def connect(self) -> None:
        """Connect."""
        self.latest[:] = [self]
        super().connect()  # type: ignore[misc]
