from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from client_of_stub import WINDOW, changed, connect, score_one
from stub_sglang import EOS, VOCABULARY, Stub, distribution, is_look

from curator._errors import InputError, ServerError
from curator.serve.identity import PROBE_TEXT, ids_digest
from curator.serve.interface import Sampling, Server, Window


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


def test_the_prefix_cache_is_emptied_before_each_pass(stub: Stub) -> None:
    server = connect(stub)
    stub.flush_status = [400, 200]
    list(server.score([WINDOW, WINDOW], 8, 1))
    list(server.generate([[1, 2]], Sampling(3), 1))
    paths = [path for path, body, _ in stub.requests if path == "/flush_cache" or (body and not is_look(body))]
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


def test_facts_of_the_tokenizer_the_architecture_and_the_machine(stub: Stub) -> None:
    facts = connect(stub, machine={"gpu": "NVIDIA H200"}).facts()
    assert facts["gpu"] == "NVIDIA H200"
    assert facts["architecture"] == "LlamaForCausalLM"
    # The stub's tokenizer is the bytes modulo its vocabulary.
    assert facts["tokenizer"] == ids_digest([letter % VOCABULARY for letter in PROBE_TEXT.encode()])


def test_each_prompt_has_a_name_of_its_own_so_that_no_cached_prefix_is_shared(stub: Stub) -> None:
    server = connect(stub)
    list(server.score([WINDOW, WINDOW, WINDOW], 8, 2))
    list(connect(stub).score([WINDOW], 8, 2))
    names = [name for body in stub.sent("/generate") for name in body["extra_key"]]
    assert len(names) == len(set(names)) == 4
    assert all(body["rid"] == body["extra_key"] for body in stub.sent("/generate"))


def test_distributions_of_sampled_text_are_not_at_temperature_1(stub: Stub) -> None:
    with pytest.raises(InputError, match="temperature 0"):
        list(connect(stub).generate([[1, 2]], Sampling(3, 0.5), 1, top_k=4, keep=1))
    assert stub.sent("/generate") == []


def test_decode_passes_a_callers_fields_on_and_goes_beyond_an_end(stub: Stub) -> None:
    prompts, new = [[4] * 8, [7, 8]], [12, 3]
    ended = next(iter(connect(stub).generate(prompts[:1], Sampling(12), 1)))
    assert ended.ids[-1] == EOS and len(ended.ids) < 12
    params = [{"custom_params": {"tokens": [1]}}, {"custom_params": {"tokens": [2]}}]
    found = list(connect(stub).decode(prompts, new, 5, 2, fields={"custom_logit_processor": "x"}, params=params))
    assert [len(one.ids) for one in found] == new
    assert [one.scores.top_ids.shape for one in found if one.scores] == [(12, 5), (3, 5)]
    body = stub.sent("/generate")[-1]
    assert body["custom_logit_processor"] == "x"
    assert [one["custom_params"]["tokens"] for one in body["sampling_params"]] == [[1], [2]]
    assert [one["max_new_tokens"] for one in body["sampling_params"]] == new


@pytest.mark.parametrize(("length", "passes"), [(63, True), (64, False), (65, False)])
def test_the_context_is_looked_at_before_anything_is_sent(stub: Stub, length: int, passes: bool) -> None:
    """Context 64: the server answers 400 to a prompt without room for one more token."""
    server = connect(stub)
    assert server.longest() == 62
    if passes:
        assert len(list(server.generate([[5] * length], Sampling(1), 1))) == 1
        return
    with pytest.raises(InputError, match=f"prompt 0: {length} tokens, the server takes 63 at most"):
        list(server.generate([[5] * length], Sampling(1), 1))
    assert stub.sent("/generate") == []


def test_an_answer_that_the_server_would_cut_is_not_asked_for(stub: Stub) -> None:
    with pytest.raises(InputError, match="prompt 0: 60 tokens and 8 new ones do not fit into the server's 67"):
        list(connect(stub).generate([[5] * 60], Sampling(8), 1))
    assert stub.sent("/generate") == []
    assert len(list(connect(stub).generate([[5] * 60], Sampling(7), 1))) == 1


def test_only_the_scored_window_of_a_long_prompt_is_asked_for(stub: Stub) -> None:
    stub.info["max_req_input_len"] = 100_000
    scores = score_one(stub, Window(tuple(number % 40 for number in range(9_000)), 8_995))
    assert scores.top_ids.shape == (5, 8)
    (body,) = stub.sent("/generate")
    assert body["logprob_start_len"] == [8_994]


def test_prompts_that_share_a_prefix_score_alike_in_either_order(stub: Stub) -> None:
    windows = [Window((3, 17, 5, 22, 9, 31), 4), Window((3, 17, 5, 22, 8, 30), 4)]
    forward = list(connect(stub).score(windows, 8, 1))
    backward = list(connect(stub).score(windows[::-1], 8, 1))
    for one, other in zip(forward, backward[::-1], strict=True):
        np.testing.assert_array_equal(one.top_logprobs, other.top_logprobs)
        np.testing.assert_array_equal(one.top_ids, other.top_ids)


def test_a_server_that_shares_prefixes_all_the_same_is_emptied_before_each_batch(stub: Stub) -> None:
    def cached(answer: dict[str, Any]) -> None:
        answer["meta_info"]["cached_tokens"] = 2

    stub.fault = cached
    server = connect(stub)
    assert len(list(server.score([WINDOW] * 3, 8, 1))) == 3
    # The first batch is asked again.
    assert len(stub.sent("/generate")) == 4
    assert [path for path, _, _ in stub.requests].count("/flush_cache") == 1 + 3
    assert server.notes == [
        "the server shares cached prefixes between requests; its cache is emptied before each batch"
    ]


def test_sizes_that_a_server_cannot_hold_are_told_before_a_run(stub: Stub) -> None:
    stub.info |= {"max_total_num_tokens": 32, "chunked_prefill_size": 10}
    server = connect(stub)
    windows = [Window((1, 2, 3, 4, number), 3) for number in range(8)]
    assert server.batch_limit([5] * 8, 0) == 5
    assert len(list(server.score(windows, 4, 8))) == 8
    assert server.notes == [
        "batch size 8: the server's cache holds 5 of these prompts at once",
        "batch size 8: one prefill step of the server takes 10 tokens, at times 2 of these prompts "
        "(its --chunked-prefill-size)",
    ]
    assert server.achieved == {8: 5}


# A batch of eight and one of four. All together they take 20 + 20 steps, for 7 x 20 + 8 + 3 x 20 + 8 tokens: 5.4 a
# step. Two at a time the eight take 4 x 20 steps and the four 2 x 20: 1.8 a step.
@pytest.mark.parametrize(("together", "mean", "told"), [(8, 5.4, False), (2, 1.8, True)])
def test_whether_prompts_were_decoded_together_is_read_from_the_servers_counts(
    stub: Stub, together: int, mean: float, told: bool
) -> None:
    stub.decode_moments, stub.together = [100.0, 100.0], together
    server = connect(stub)
    lengths = [20] * 7 + [8] + [20] * 3 + [8]
    list(server.decode([[1, 2]] * 12, lengths, 4, 8, fields={}, params=[{}] * 12))
    assert server.decoded_at_once == {8: mean}
    note = (
        "batch size 8: the server decoded 1.8 prompts at a time on average, where all of a batch together would "
        "have been 5.4"
    )
    assert server.notes == ([note] if told else [])


def test_prompts_that_a_full_cache_put_back_are_told(stub: Stub) -> None:
    stub.fault = changed(("meta_info", "num_retractions"), 2)
    server = connect(stub)
    list(server.generate([[1, 2], [3, 4]], Sampling(3), 2))
    assert server.notes == [
        "batch size 2: 1 prompts were put back and begun again, since the server's cache was full; lower the "
        "batch size"
    ]
    assert server.decoded_at_once == {}
