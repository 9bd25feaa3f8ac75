"""Answers that are too long, too slow, compressed, or lead elsewhere."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from curator._errors import ServerError
from curator.serve.faults import Fault
from curator.serve.http import Connection
from tests.serve.http_in_thread import HttpInThread, QuietHandler


@contextmanager
def connected(handler: type[QuietHandler], **settings: float) -> Iterator[Connection]:
    server = HttpInThread(handler)
    connection = Connection(server.url, **{"timeout": 5.0, "tries": 1, "backoff": 0.0, **settings})  # type: ignore[arg-type]
    try:
        yield connection
    finally:
        connection.close()
        server.stop()


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes) -> Iterator[tuple[Connection, list[str]]]:
    """A connection to a server that answers always the same, and the paths asked."""
    asked: list[str] = []

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.body()
            self.reply(status, body, headers=headers)

        do_GET = do_POST

    with connected(Handler) as connection:
        yield connection, asked


def test_nothing_goes_to_another_address() -> None:
    with answering(307, {"Location": "/elsewhere"}, b"") as (connection, asked):
        with pytest.raises(ServerError, match="refused with 307"):
            connection.attempt("/generate", {"text": "mine"})
        with pytest.raises(ServerError, match=r"/health answers 307; give the address that it leads to"):
            connection.wait_until_healthy(5, 5)
        assert asked == ["/generate", "/health"]


def test_an_answer_is_never_unpacked() -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    with (
        answering(200, {"Content-Encoding": "gzip"}, bomb) as (connection, _),
        pytest.raises(ServerError, match="a compressed answer that was not asked for"),
    ):
        connection.attempt("/generate", {})


def test_an_endless_answer_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.serve.body._MOST_BYTES", 100_000)
    with (
        answering(200, {}, b"[" + b" " * 300_000 + b"]") as (connection, _),
        pytest.raises(ServerError, match="an answer of more than"),
    ):
        connection.attempt("/generate", {})
    with answering(200, {}, b"[" + b" " * 90_000 + b"]") as (connection, _):
        assert connection.attempt("/generate", {}) == []


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"


@pytest.mark.parametrize(
    "begin", [b"", HEAD, HEAD + b"\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]
)
def test_an_answer_that_drips_for_ever_is_given_up(begin: bytes) -> None:
    """A byte now and then is in time for every timeout of a socket: in the status line, head, body, chunks."""
    over = threading.Event()

    class Dripping(QuietHandler):
        def do_GET(self) -> None:
            self.wfile.write(begin)
            try:
                while not over.wait(0.005):
                    self.wfile.write(b"1")
            except OSError:
                self.close_connection = True

        def do_POST(self) -> None:
            self.body()
            self.do_GET()

    with connected(Dripping, timeout=0.2) as connection:
        found = connection.attempt("/generate", {})
        assert isinstance(found, Fault)
        assert (found.kind, found.text) == ("slow", "no answer in 0 s")
        if not begin.endswith(b"\r\n\r\n"):
            with pytest.raises(ServerError, match="/health does not answer"):
                connection.wait_until_healthy(0.0, 0.0)
        else:
            # Of a server's health the status is enough: its body is not read.
            connection.wait_until_healthy(0.0, 0.0)
        over.set()
