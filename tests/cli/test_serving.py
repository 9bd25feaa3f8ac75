from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError, ServerError
from curator._progress import Silent
from curator.cli import serving
from curator.cli.server_options import serve_options
from curator.cli.serving import model_answers, refuse_dead
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.serve.open import ServeOptions
from curator.tokens.tokenizer import Tokenizer
from tests.serve.launch.launching import fake_python
from tests.serve.stub_sglang import Stub, distribution


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.stop()


@pytest.fixture
def answers_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("answers_here")
def test_answers_come_from_the_server_at_the_url(stub: Stub, tiny_model: Path) -> None:
    tokenizer = Tokenizer(tiny_model)
    with closing(
        model_answers("no-such-model", tokenizer, ServeOptions(url=stub.url), Silent(), False)
    ) as answerer:
        (answer,) = answerer.answer([[1, 2, 3]], Sampling(2))
    first = int(distribution([1, 2, 3]).argmax())
    assert answer.ids == (first, int(distribution([1, 2, 3, first]).argmax()))
    # It is known again, and still asked which model it runs.
    with closing(
        model_answers("no-such-model", tokenizer, ServeOptions(url=stub.url), Silent(), False)
    ) as answerer:
        assert answerer.answer([[1, 2, 3]], Sampling(2)) == [answer]
    assert len(stub.sent("/generate")) == 1


@pytest.mark.usefixtures("answers_here")
def test_answers_come_from_the_model_here_without_one(tiny_model: Path) -> None:
    tokenizer = Tokenizer(tiny_model)
    with closing(model_answers(str(tiny_model), tokenizer, ServeOptions(), Silent(), False)) as answerer:
        found = answerer.answer([[9, 20, 33], [250]], Sampling(6))
    assert found == list(InProcess(tiny_model).generate([[9, 20, 33], [250]], Sampling(6), 2))


def test_an_address_without_a_server_is_refused_in_one_line(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_dead(stub.url)
    assert not stub.sent("/generate")
    monkeypatch.setattr(serving, "_ALIVE_SECONDS", 0.05)
    monkeypatch.setattr(serving, "_REFUSED_SECONDS", 0.05)
    stub.health = [503]
    with pytest.raises(ServerError, match=r"not ready after 0 s \(/health answers 503\)"):
        refuse_dead(stub.url)
    stub.health = [404]
    with pytest.raises(ServerError, match="give the address of an SGLang server"):
        refuse_dead(stub.url)
    with pytest.raises(ServerError, match="connection refused"):
        refuse_dead("http://127.0.0.1:9")


@pytest.mark.usefixtures("answers_here")
def test_answers_come_from_a_server_that_is_started_when_first_asked(tiny_model: Path, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    options = serve_options(None, "sglang", fake_python(tmp_path), None, log)
    tokenizer = Tokenizer(tiny_model)
    with closing(model_answers(str(tiny_model), tokenizer, options, Silent(), False)) as answerer:
        assert not log.exists()
        (answer,) = answerer.answer([[1, 2, 3]], Sampling(1))
    assert answer.ids == (int(distribution([1, 2, 3]).argmax()),)
    assert str(tiny_model) in log.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"url": "http://h:1", "serve": "sglang"}, "--serve starts a server, --url is for one that runs"),
        ({"serve": "sglang", "allow_code": True}, "--allow-code is for one that runs"),
        ({"allow_code": True}, "--allow-code is for the server at --url"),
        ({"server_args": ["--tp 2"]}, "--server-args is for a server that is started here: add --serve sglang"),
        (
            {"server_python": Path("p"), "url": "http://h:1"},
            "--server-python is for a server that is started here",
        ),
        ({"url": "http://u:p@h"}, "put the key into CURATE_API_KEY"),
        ({"serve": "sglang", "server_args": ["--api-key k"]}, "put the key into CURATE_API_KEY"),
        ({"serve": "sglang", "server_python": Path("/nowhere")}, "no Python there"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_made(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        serve_options(**{"url": None, "serve": None, **options})


def test_an_address_and_a_server_of_ours_are_told_apart(tmp_path: Path) -> None:
    assert serve_options(None, None) == ServeOptions()
    assert serve_options("http://h:1", None, allow_code=True) == ServeOptions(url="http://h:1", allow_code=True)
    launcher = serve_options(None, "sglang", fake_python(tmp_path), ["--tp 2", "--port=7"]).launcher
    assert launcher is not None and launcher.words() == ["--tp", "2", "--port=7"]
