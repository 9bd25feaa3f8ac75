from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from curator._errors import ServerError
from curator.cli import serving
from curator.cli.serving import model_answers, refuse_dead
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.tokens.tokenizer import Tokenizer
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
    with closing(model_answers("no-such-model", tokenizer, stub.url, lambda _: None, False)) as answerer:
        (answer,) = answerer.answer([[1, 2, 3]], Sampling(2))
    first = int(distribution([1, 2, 3]).argmax())
    assert answer.ids == (first, int(distribution([1, 2, 3, first]).argmax()))
    # It is known again, and still asked which model it runs.
    with closing(model_answers("no-such-model", tokenizer, stub.url, lambda _: None, False)) as answerer:
        assert answerer.answer([[1, 2, 3]], Sampling(2)) == [answer]
    assert len(stub.sent("/generate")) == 1


@pytest.mark.usefixtures("answers_here")
def test_answers_come_from_the_model_here_without_one(tiny_model: Path) -> None:
    tokenizer = Tokenizer(tiny_model)
    with closing(model_answers(str(tiny_model), tokenizer, None, lambda _: None, False)) as answerer:
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
