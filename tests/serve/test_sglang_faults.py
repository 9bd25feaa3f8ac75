"""A server that fails, goes away, comes back, or comes back as another: the same results, or a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from client_of_stub import WINDOW, connect, same, score_one
from fault_proxy import BROKEN, WRONG, FaultProxy
from fault_runs import run_faults
from stub_sglang import Stub, distribution

from curator._errors import RefusedError, ServerError
from curator.serve.interface import Sampling, Scores, Window
from curator.serve.sglang.client import SGLang


def followed(prompt: list[int], tokens: int) -> Window:
    """A prompt with its greedy continuation, as a baseline's windows are."""
    ids = list(prompt)
    for _ in range(tokens):
        ids.append(int(distribution(ids).argmax()))
    return Window(tuple(ids), len(prompt))


WINDOWS = [followed([3, 17, number], 4) for number in range(6)]


def test_200_runs_of_faults_give_the_clean_results_or_a_refusal(stub: Stub) -> None:
    clean = list(connect(stub).score(WINDOWS, 8, 2))
    settings = {"backoff": 0.0005, "timeout": 5.0}
    run = run_faults(stub.url, lambda url: partial(connect(url, **settings).score, WINDOWS, 8, 2), clean)
    assert len(run.done) > 300
    assert run.equal > 60
    assert run.refused > 60


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_answer_is_asked_for_again(stub: Stub, fault: str) -> None:
    clean = list(connect(stub).score(WINDOWS, 8, 2))
    proxy = FaultProxy(stub.url, {0: fault, 2: fault}.get)
    assert same(list(connect(proxy.url).score(WINDOWS, 8, 2)), clean)
    assert proxy.done == [fault] * 2
    proxy.stop()


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_answer_is_refused(stub: Stub, fault: str) -> None:
    proxy = FaultProxy(stub.url, {1: fault}.get)
    given = []
    with pytest.raises(ServerError, match=r"/generate"):
        for scores in connect(proxy.url).score(WINDOWS, 8, 2):
            given.append(scores)
    proxy.stop()
    # The batch before was handed out; of this one nothing behind the wrong answer was.
    assert 2 <= len(given) < 4


def test_5xx_and_lost_connections_are_tried_again(stub: Stub) -> None:
    stub.failures, stub.drop_connections = [(503, b""), (500, b'{"error":"busy"}')], 1
    assert len(score_one(stub).chosen) == 4
    assert len(stub.sent("/generate")) == 4


def test_a_server_that_keeps_failing_is_given_up(stub: Stub) -> None:
    stub.failures = [(500, b'{"error":"out of memory"}')] * 9
    with pytest.raises(ServerError, match=r"failed 4 times \(500: out of memory\).*run the same command again"):
        score_one(stub)
    stub.failures, stub.drop_connections = [], 9
    with pytest.raises(ServerError, match=r"failed 4 times \(the connection was lost\)"):
        score_one(stub)


def test_an_answer_that_takes_too_long(stub: Stub) -> None:
    server = connect(stub, timeout=0.15)
    stub.delay = 1.0
    with pytest.raises(ServerError, match=r"failed 2 times \(no answer in 0 s\); lower the batch size"):
        list(server.score([WINDOW], 8, 1))
    assert len(stub.sent("/generate")) == 2


def test_an_answer_that_is_not_json(stub: Stub) -> None:
    stub.failures = [(200, b"<html>")] * 4
    with pytest.raises(ServerError, match="the answer is not JSON, 4 times"):
        score_one(stub)


def test_a_batch_too_large_for_the_server_is_halved_and_told(stub: Stub) -> None:
    """500 above four prompts at once."""
    windows = [Window((3, 17, number, 22), 2) for number in range(20)]
    clean = list(connect(stub).score(windows, 8, 4))
    stub.requests.clear()
    stub.most_at_once = 4
    server = connect(stub, backoff=0.001)
    assert same(list(server.score(windows, 8, 8)), clean)
    # Four tries of the first eight, and from then on four at a time.
    assert [len(body["input_ids"]) for body in stub.sent("/generate")] == [8] * 4 + [4] * 5
    assert server.achieved == {8: 4}
    assert server.notes == [
        "batch size 8: the server failed at 8 prompts at once (500: CUDA out of memory); 4 at a time were asked"
    ]


class Mortal(Stub):
    """Ends after so many answers, as a killed server does; ``restart`` opens its port again."""

    def __init__(self, answers: int) -> None:
        super().__init__()
        self.left = answers
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign]

    def post(self, path: str, body: Any) -> tuple[int, bytes]:
        if path == "/generate" and body["rid"][0].startswith("curate-ask"):
            self.left -= 1
        if self.left < 0:
            # The handler's thread ends without an answer, and no other request gets one.
            raise ConnectionAbortedError
        return super().post(path, body)

    def get(self, path: str) -> tuple[int, bytes]:
        if self.left < 0:
            raise ConnectionAbortedError
        return super().get(path)


@pytest.fixture
def mortal() -> Iterator[Mortal]:
    server = Mortal(7)
    yield server
    server.stop()


def test_a_server_that_dies_has_given_what_it_answered_and_only_the_rest_is_asked_on(mortal: Mortal) -> None:
    windows = [Window((3, 17, number, 22), 2) for number in range(20)]
    stored: list[Scores] = []
    with pytest.raises(ServerError, match=r"not ready after 0 s.*run the same command again to go on"):
        for scores in connect(mortal, restart_wait=0.05, wait=0.05, tries=2).score(windows, 8, 1):
            stored.append(scores)
    assert len(stored) == 7
    mortal.left = 10**6
    before = len(mortal.sent("/generate"))
    stored += connect(mortal).score(windows[len(stored) :], 8, 1)
    assert len(mortal.sent("/generate")) - before == 13
    for number, scores in enumerate(stored):
        assert scores.chosen[1] == pytest.approx(distribution([3, 17, number])[22], rel=1e-6)


def test_a_server_that_will_not_come_back_is_not_waited_for(mortal: Mortal) -> None:
    server = connect(mortal, gone=lambda: "the server ended with 137")
    with pytest.raises(ServerError, match="the server ended with 137; run the same command again"):
        list(server.score([WINDOW] * 9, 8, 1))


def swapping(stub: Stub, server: SGLang, after: int, **model: Any) -> list[Scores]:
    """What a pass gives when other weights are loaded after so many results."""
    given = []
    with pytest.raises(RefusedError, match="the model changed while it was measured") as error:
        for scores in server.score(WINDOWS, 8, 1):
            given.append(scores)
            if len(given) == after:
                stub.weights = 5
                stub.model |= model
    assert "\n" not in str(error.value)
    return given


def test_other_weights_behind_the_same_names_are_noticed(stub: Stub) -> None:
    server = connect(stub, look_every=3600)
    given = swapping(stub, server, 3)
    # Only at the end: none of the results since the beginning can be relied on.
    assert len(given) == 6
    assert server.trusted == 0
    server = connect(stub, look_every=0)
    stub.weights = 0
    swapping(stub, server, 3)
    # A look at each batch: those given before the last good one are of the first weights.
    assert 2 <= server.trusted <= 4


@pytest.mark.parametrize("name", ["weight_version", "model_path"])
def test_another_model_that_says_so_is_noticed(stub: Stub, name: str) -> None:
    server = connect(stub, look_every=3600 if name == "weight_version" else 0)
    given = swapping(stub, server, 2, **{name: "other"})
    assert len(given) <= 4


def test_weights_swapped_between_two_passes_are_noticed(stub: Stub) -> None:
    server = connect(stub)
    list(server.generate([[1, 2]], Sampling(2), 1))
    assert server.trusted == 1
    stub.weights = 5
    with pytest.raises(RefusedError, match="logprobs of a fixed prompt moved"):
        list(server.score(WINDOWS, 8, 2))


def test_a_restart_with_another_model_is_refused_and_with_the_same_goes_on(stub: Stub) -> None:
    clean = list(connect(stub).score(WINDOWS, 8, 1))
    server = connect(stub)
    given = []
    for scores in server.score(WINDOWS, 8, 1):
        given.append(scores)
        stub.drop_connections = int(len(given) == 2)
    assert same(given, clean)
    with pytest.raises(RefusedError):
        for number, _ in enumerate(server.score(WINDOWS, 8, 1)):
            if number == 2:
                stub.weights, stub.drop_connections = 5, 1
