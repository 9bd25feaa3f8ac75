from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from stub_sglang import EOS, VOCABULARY, Stub, distribution

from curator._errors import InputError, ServerError
from curator.serve.interface import Sampling, Scores, Server, Window
from curator.serve.sglang import SGLang

WINDOW = Window((3, 17, 5, 22, 9, 31), 2)


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.stop()


def connect(stub: Stub, **settings: Any) -> SGLang:
    defaults: dict[str, Any] = {"vocabulary": VOCABULARY, "backoff": 0.01, "wait": 5.0, "refused_wait": 0.2}
    return SGLang(stub.url, **{**defaults, **settings})


def score_one(stub: Stub, window: Window = WINDOW, k: int = 8) -> Scores:
    (scores,) = connect(stub).score([window], k, 8)
    return scores


def test_it_is_a_server(stub: Stub) -> None:
    server: Server = connect(stub)
    server.close()


@pytest.mark.parametrize("start", [1, 2, 5])
def test_row_i_is_the_distribution_that_predicted_token_start_plus_i(stub: Stub, start: int) -> None:
    scores = score_one(stub, Window(WINDOW.ids, start))
    assert scores.top_ids.shape == scores.top_logprobs.shape == (6 - start, 8)
    assert scores.top_ids.dtype == np.int32
    assert scores.top_logprobs.dtype == scores.chosen.dtype == np.float32
    assert scores.logits is None
    for row, position in enumerate(range(start, 6)):
        expected = distribution(list(WINDOW.ids[:position]))
        order = np.argsort(-expected)[:8]
        assert scores.top_ids[row].tolist() == order.tolist()
        np.testing.assert_allclose(scores.top_logprobs[row], expected[order], rtol=1e-6)
        assert scores.chosen[row] == pytest.approx(expected[WINDOW.ids[position]], rel=1e-6)


def test_batches_keep_the_order_and_are_one_request_each(stub: Stub) -> None:
    generator = np.random.default_rng(0)
    windows = [Window(tuple(generator.integers(0, 40, size=4 + i % 5).tolist()), 1 + i % 3) for i in range(11)]
    server = connect(stub)
    batched = list(server.score(windows, 5, 4))
    assert [len(body["input_ids"]) for body in stub.sent("/generate")] == [4, 4, 3]
    single = list(server.score(windows, 5, 1))
    for window, one, other in zip(windows, batched, single, strict=True):
        assert len(one.chosen) == window.scored
        np.testing.assert_array_equal(one.top_ids, other.top_ids)
        np.testing.assert_array_equal(one.top_logprobs, other.top_logprobs)


def test_requests_are_neutral_whatever_the_server_prefers(stub: Stub) -> None:
    score_one(stub)
    (body,) = stub.sent("/generate")
    sampling = body["sampling_params"]
    assert sampling["temperature"] == 0
    assert (sampling["top_p"], sampling["top_k"], sampling["min_p"]) == (1.0, -1, 0.0)
    assert sampling["repetition_penalty"] == 1.0
    assert sampling["max_new_tokens"] == 0
    assert body["logprob_start_len"] == [1]
    assert "temperature" in connect(stub).facts()["sampling"]


def test_generate_stops_at_eos_inclusive(stub: Stub) -> None:
    prompts = [[1, 2, 3], [4] * 8, [7, 8, 9, 10, 11]]
    outputs = list(connect(stub).generate(prompts, Sampling(12), 2))
    ended = 0
    for prompt, output in zip(prompts, outputs, strict=True):
        expected: list[int] = []
        while len(expected) < 12 and EOS not in expected:
            expected.append(int(distribution(prompt + expected).argmax()))
        assert list(output.ids) == expected
        assert output.finished == (expected[-1] == EOS)
        ended += output.finished and len(output.ids) < 12
    assert ended


def test_sampling_asks_for_a_seed_of_each_prompt(stub: Stub) -> None:
    server, prompts = connect(stub), [[1, 2, 3], [4, 5], [1, 2, 3]]
    sampling = Sampling(6, 0.7, 5)
    assert len(list(server.generate(prompts, sampling, 3))) == 3
    (body,) = stub.sent("/generate")
    assert [row["temperature"] for row in body["sampling_params"]] == [0.7] * 3
    seeds = [row["sampling_seed"] for row in body["sampling_params"]]
    assert seeds == [sampling.seed_of(prompt) for prompt in prompts]
    assert seeds[0] == seeds[2] != seeds[1]
    assert Sampling(6, 0.7, 6).seed_of(prompts[0]) != seeds[0]
    assert server.notes == [
        "sampled answers differ from run to run; start the server with --enable-deterministic-inference"
    ]


def test_why_a_continuation_ended_is_the_servers_word_if_it_says_one(stub: Stub) -> None:
    (cut,) = connect(stub).generate([[1, 2]], Sampling(3), 1)
    assert (len(cut.ids), cut.finished) == (3, False)
    stub.fault = changed(("meta_info", "finish_reason"), {"type": "stop", "matched": 7})
    (ended,) = connect(stub).generate([[1, 2]], Sampling(3), 1)
    assert ended.finished
    stub.fault = changed(("meta_info", "finish_reason"), None)
    (untold,) = connect(stub).generate([[1, 2]], Sampling(3), 1)
    assert not untold.finished


def test_facts(stub: Stub) -> None:
    facts = connect(stub).facts()
    assert facts["backend"] == "sglang"
    assert facts["version"] == "0.5.23"
    assert facts["attention"] == "torch_native"
    assert facts["chunked_prefill_size"] == "4096"
    assert facts["quantization"] == "None"
    assert facts["model_path"] == "/models/tiny"
    assert all(isinstance(value, str) for value in facts.values())


def test_older_servers_have_other_paths(stub: Stub) -> None:
    stub.old_paths = True
    assert connect(stub).facts()["model_path"] == "/models/tiny"


def test_k_is_lowered_to_the_vocabulary_and_noted_once(stub: Stub) -> None:
    server = connect(stub)
    (scores,) = server.score([WINDOW], 256, 1)
    list(server.score([WINDOW], 256, 1))
    assert scores.top_ids.shape == (4, VOCABULARY)
    assert {body["top_logprobs_num"] for body in stub.sent("/generate")} == {VOCABULARY}
    assert server.notes == ["top-256 lowered to 40, the size of the vocabulary"]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ((3, 40), "40 is outside the vocabulary of 40"),
        ((3, -1), "-1 is outside"),
        ((), "no tokens"),
        (tuple([5] * 64), "64 tokens, the server takes 63"),
    ],
)
def test_what_kills_or_is_refused_is_never_sent(stub: Stub, ids: tuple[int, ...], words: str) -> None:
    server = connect(stub)
    good = (1, 2, 3)
    with pytest.raises(InputError, match=f"prompt 1: .*{words}"):
        list(server.score([Window(good, 1), Window(ids, 1)], 8, 1))
    with pytest.raises(InputError, match=words):
        list(server.generate([good, ids], Sampling(4), 1))
    assert stub.sent("/generate") == []


@pytest.mark.parametrize("start", [0, -1, 6, 7])
def test_a_start_outside_the_window_is_never_sent(stub: Stub, start: int) -> None:
    with pytest.raises(InputError, match="window 0: start"):
        score_one(stub, Window(WINDOW.ids, start))
    assert stub.sent("/generate") == []


@pytest.mark.parametrize("k", [0, -3])
def test_a_useless_k_is_never_sent(stub: Stub, k: int) -> None:
    with pytest.raises(InputError, match="ask for at least 1"):
        score_one(stub, k=k)


def test_a_prompt_one_below_the_context_passes(stub: Stub) -> None:
    assert len(score_one(stub, Window(tuple([5] * 62 + [6]), 60)).chosen) == 3


def shifted(answer: dict[str, Any]) -> None:
    entries = answer["meta_info"]["input_token_logprobs"]
    for entry, following in zip(entries, [*entries[1:], [0, 1, None]], strict=True):
        entry[1] = following[1]


def same_list(answer: dict[str, Any]) -> None:
    lists = answer["meta_info"]["input_top_logprobs"]
    lists[2:] = [lists[1]] * (len(lists) - 2)


def without(name: str) -> Any:
    def fault(answer: dict[str, Any]) -> None:
        del answer["meta_info"][name]

    return fault


def cached_gap(answer: dict[str, Any]) -> None:
    meta = answer["meta_info"]
    meta["cached_tokens"] = 4
    meta["input_token_logprobs"] = [meta["input_token_logprobs"][0], meta["input_token_logprobs"][-1]]


def changed(path: tuple[Any, ...], value: Any) -> Any:
    def fault(answer: dict[str, Any]) -> None:
        target = answer
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = value

    return fault


def short_list(answer: dict[str, Any]) -> None:
    answer["meta_info"]["input_top_logprobs"][2].pop()


def half_temperature(answer: dict[str, Any]) -> None:
    for row in answer["meta_info"]["input_top_logprobs"][1:]:
        for entry in row:
            entry[0] /= 2


TOKENS, LISTS = ("meta_info", "input_token_logprobs"), ("meta_info", "input_top_logprobs")
FAULTS: dict[str, tuple[Any, str]] = {
    "shifted": (shifted, "positions are shifted"),
    "same list": (same_list, "same list at every position|disagree"),
    "no top lists": (without("input_top_logprobs"), "no input_top_logprobs"),
    "no token logprobs": (without("input_token_logprobs"), "no input_token_logprobs"),
    "null top lists": (changed(LISTS, None), "no input_top_logprobs"),
    "short list": (short_list, "7 of 8 entries at scored token 1"),
    "null list": (changed((*LISTS, 2), None), "None of 8 entries"),
    "cached gap": (cached_gap, r"2 positions, 5 were asked for \(4 prompt tokens came from its prefix cache"),
    "null value": (changed((*TOKENS, 2, 0), None), "null or not finite"),
    "null in list": (changed((*LISTS, 2, 3, 0), None), "null or not finite"),
    "text value": (changed((*LISTS, 2, 3, 0), "x"), "other than numbers"),
    "text id": (changed((*LISTS, 2, 3, 1), "x"), r"scored token 1 is not \[logprob, id\]"),
    "huge id": (changed((*LISTS, 2, 3, 1), 10**30), r"scored token 1 is not \[logprob, id\]"),
    "null entry": (changed((*LISTS, 2, 3), None), r"scored token 1 is not \[logprob, id\]"),
    "id outside": (changed((*LISTS, 2, 7, 1), 40), "outside the vocabulary"),
    "id twice": (changed((*LISTS, 1, 3, 1), int(np.argmax(distribution([3, 17])))), "an id twice|disagree"),
    "not ordered": (changed((*LISTS, 1, 7, 0), -0.01), "not ordered|more than 1"),
    "other temperature": (half_temperature, "sum to more than 1|disagree"),
    "chosen disagrees": (changed((*TOKENS, 1, 0), -0.001), "disagree at scored token 0"),
    "cut prompt": (changed(("meta_info", "prompt_tokens"), 5), "saw 5 of a prompt's 6 tokens"),
    "aborted": (changed(("meta_info", "finish_reason"), {"type": "abort", "message": "oom"}), "aborted.*oom"),
    "no meta": (changed(("meta_info",), None), "no meta_info"),
    "one answer short": (lambda _answer: [], "0 answers to a batch of 1"),
    "not a list": (lambda answer: {"error": "x"}, "did not answer a list"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_answer_is_refused(stub: Stub, name: str) -> None:
    fault, words = FAULTS[name]
    stub.fault = fault
    with pytest.raises(ServerError, match=words) as error:
        score_one(stub)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(stub.url)
    assert "SGLang server" in str(error.value) or "its own log" in str(error.value)


def test_the_same_list_with_agreeing_tokens_is_still_refused(stub: Stub) -> None:
    def fault(answer: dict[str, Any]) -> None:
        same_list(answer)
        for entry in answer["meta_info"]["input_token_logprobs"][1:]:
            entry[0] = -30.0
        for row in answer["meta_info"]["input_top_logprobs"][1:]:
            for rank, entry in enumerate(row):
                entry[1] = 10 + rank if 10 + rank not in WINDOW.ids else 32 + rank

    stub.fault = fault
    with pytest.raises(ServerError, match="same list at every position"):
        score_one(stub)


def test_a_null_text_and_a_wrong_text_do_not_matter(stub: Stub) -> None:
    stub.fault = changed((*TOKENS, 1, 2), "wrong")
    assert len(score_one(stub).chosen) == 4


def test_the_last_id_is_reported_as_0_by_some_versions(stub: Stub) -> None:
    window = Window((3, 17, VOCABULARY - 1, 22), 2)

    def fault(answer: dict[str, Any]) -> None:
        answer["meta_info"]["input_token_logprobs"][1][1] = 0

    stub.fault = fault
    scores = score_one(stub, window)
    assert scores.chosen[0] == pytest.approx(distribution([3, 17])[VOCABULARY - 1], rel=1e-6)
    with pytest.raises(ServerError, match="positions are shifted"):
        score_one(stub, Window((3, 17, VOCABULARY - 2, 22), 2))


@pytest.mark.parametrize(
    "output", [None, [], [1] * 9, [40], ["1"]], ids=["missing", "empty", "too long", "outside", "text"]
)
def test_a_continuation_that_cannot_be_is_refused(stub: Stub, output: Any) -> None:
    stub.fault = changed(("output_ids",), output)
    with pytest.raises(ServerError, match=r"output_ids|cannot be a continuation"):
        list(connect(stub).generate([[1, 2]], Sampling(8), 1))


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


def test_5xx_and_lost_connections_are_tried_again(stub: Stub) -> None:
    stub.failures, stub.drop_connections = [(503, b""), (500, b'{"error":"busy"}')], 1
    assert len(score_one(stub).chosen) == 4
    assert len(stub.sent("/generate")) == 4


def test_a_server_that_keeps_failing_is_given_up(stub: Stub) -> None:
    stub.failures = [(500, b'{"error":"out of memory"}')] * 9
    with pytest.raises(ServerError, match=r"failed 4 times \(500: out of memory\)"):
        score_one(stub)
    stub.failures, stub.drop_connections = [], 9
    with pytest.raises(ServerError, match=r"failed 4 times \(the connection was lost\)"):
        score_one(stub)


def test_an_answer_that_takes_too_long(stub: Stub) -> None:
    server = connect(stub, timeout=0.3)
    stub.delay = 1.0
    with pytest.raises(ServerError, match="no answer in 0 s"):
        list(server._ask([[1]], {"max_new_tokens": 0}, {}))


def test_an_answer_that_is_not_json(stub: Stub) -> None:
    stub.failures = [(200, b"<html>")]
    with pytest.raises(ServerError, match="not JSON"):
        score_one(stub)


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


def test_the_prefix_cache_is_emptied_before_each_pass(stub: Stub) -> None:
    server = connect(stub)
    stub.flush_status = [400, 200]
    list(server.score([WINDOW, WINDOW], 8, 1))
    list(server.generate([[1, 2]], Sampling(3), 1))
    paths = [path for path, _, _ in stub.requests if path in ("/flush_cache", "/generate")]
    assert paths == ["/flush_cache", "/flush_cache", "/generate", "/generate", "/flush_cache", "/generate"]


def test_a_cache_that_cannot_be_emptied(stub: Stub) -> None:
    stub.flush_status = [403]
    server = connect(stub)
    list(server.score([WINDOW], 8, 1))
    assert server.notes == ["the prefix cache could not be emptied (/flush_cache answers 403)"]
    stub.flush_status = [400]
    with pytest.raises(ServerError, match="somebody else using"):
        list(server.score([WINDOW], 8, 1))
    stub.info["disable_radix_cache"] = True
    assert len(score_one(stub).chosen) == 4
