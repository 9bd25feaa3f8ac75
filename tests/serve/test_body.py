from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from curator._errors import ServerError
from curator.serve.http import Connection


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes) -> Iterator[tuple[Connection, list[str]]]:
    """A connection to a server that answers always the same, and the paths asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        connection = Connection(f"http://127.0.0.1:{server.server_port}", timeout=5, tries=1, backoff=0)
        try:
            yield connection, asked
        finally:
            connection.close()
            server.shutdown()
            thread.join()


def test_prompts_go_to_no_other_address() -> None:
    with answering(307, {"Location": "/elsewhere"}, b"") as (connection, asked):
        with pytest.raises(ServerError, match="refused with 307"):
            connection.attempt("/generate", {"text": "mine"})
        assert asked == ["/generate"]


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
