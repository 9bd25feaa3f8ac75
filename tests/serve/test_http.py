from __future__ import annotations

import socket

import pytest
from client_of_stub import WINDOW, connect, score_one
from stub_sglang import Stub

from curator._errors import InputError, ServerError
from curator.serve.sglang import SGLang


@pytest.mark.parametrize(
    "body",
    [b'{"error":{"message":"too\\nlong"}}', b'{"error":"too"}', b'{"object":"error","message":"too"}', b"too"],
)
def test_each_shape_of_error_body_is_one_clear_line(stub: Stub, body: bytes) -> None:
    stub.failures = [(400, body)]
    with pytest.raises(ServerError, match=r"/generate: the server refused with 400: too;") as error:
        score_one(stub)
    assert "\n" not in str(error.value)
    assert len(stub.sent("/generate")) == 1


def test_nothing_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ServerError, match=r"not ready after 0 s.*connection refused"):
        SGLang(url, vocabulary=10, refused_wait=0.1)


def test_a_starting_server_is_waited_for(stub: Stub) -> None:
    stub.health = [503, 503, 200]
    connect(stub)
    assert len(stub.requests) == 5


def test_a_server_that_never_gets_ready(stub: Stub) -> None:
    stub.health = [503]
    with pytest.raises(ServerError, match="/health answers 503"):
        connect(stub, wait=0.1)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:30000",
        "ftp://x",
        "http://",
        "model",
        "",
        "http://[::1",
        "http://h:abc",
        "http://h:99999",
        "http://h:0",
        "http://a b",
        "http://a..b",
        f"http://{'a' * 64}",
        "http://h:1?key=x",
        "http://h:1/#top",
    ],
)
def test_not_a_url(url: str) -> None:
    with pytest.raises(InputError, match="not an HTTP address"):
        SGLang(url, vocabulary=10)


def test_another_kind_of_server(stub: Stub) -> None:
    stub.old_paths = True
    stub.get = lambda path: (200, b"") if path == "/health" else (404, b"")  # type: ignore[method-assign]
    with pytest.raises(ServerError, match="is this an SGLang server"):
        connect(stub)


def test_the_key_is_sent_and_never_shown(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATE_API_KEY", "s3cret")
    server = connect(stub)
    stub.failures = [(401, b'{"error":"Unauthorized"}')]
    with pytest.raises(ServerError, match="set CURATE_API_KEY") as error:
        list(server.score([WINDOW], 8, 1))
    assert all(headers.get("Authorization") == "Bearer s3cret" for _, _, headers in stub.requests)
    assert "s3cret" not in f"{error.value!r} {server.facts()} {vars(server)}"


def test_no_key_no_header(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CURATE_API_KEY", raising=False)
    score_one(stub)
    assert not any("Authorization" in headers for _, _, headers in stub.requests)


def test_a_key_in_the_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError) as error:
        SGLang("http://user:s3cret@127.0.0.1:1", vocabulary=10)
    assert "s3cret" not in str(error.value)


def test_a_proxy_for_the_world_is_not_used_for_our_own_machine(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert len(score_one(stub).chosen) == 4
