from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from decode_faults import fp8_cache_with_wrong_scale

from curator._errors import InputError
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling, Scores, Window

# Prompts and continuations of several lengths; one window has end tokens (id 1) in its middle, two are scored from
# further behind the prompt.
WINDOWS = [
    Window(tuple((7 * i + 3 * j * j) % 290 + 2 for j in range(12 + 5 * i)), 5 + 2 * i, 3 + (i % 3))
    for i in range(4)
] + [Window((9, 20, 33, 1, 41, 1, 7, 8), 3)]
PROMPTS = [[9, 20, 33], [41, 7, 8, 9, 100, 101, 30], [250], [5, 5, 6, 200, 12]]


@pytest.fixture(scope="module")
def server(tiny_model: Path) -> InProcess:
    return InProcess(tiny_model)


def logits(scores: Scores | None) -> np.ndarray:
    assert scores is not None
    assert scores.logits is not None
    return scores.logits


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_decoding_along_given_tokens_is_prefill_to_rounding(server: InProcess, batch: int) -> None:
    assert server.can_force() is None
    forced = list(server.force(WINDOWS, 9, batch))
    for window, one, other in zip(WINDOWS, forced, server.score(WINDOWS, 9, 1), strict=True):
        assert one.top_ids.shape == (window.scored, 9)
        np.testing.assert_allclose(logits(one), logits(other), atol=2e-5)
        np.testing.assert_array_equal(one.top_ids, other.top_ids)
        np.testing.assert_allclose(one.top_logprobs, other.top_logprobs, atol=2e-5)
        np.testing.assert_allclose(one.chosen, other.chosen, atol=2e-5)


def test_a_prompt_is_what_is_before_the_start_when_it_is_left_out() -> None:
    assert Window((1, 2, 3, 4), 3).prompt == 3
    assert Window((1, 2, 3, 4), 3, 1).prompt == 1


@pytest.mark.parametrize("keep", [1, 4, 30])
def test_a_models_own_text_is_decoded_and_forced_from_the_same_bits(
    tiny_model: Path, tmp_path: Path, keep: int
) -> None:
    # An end token that some of the texts reach and others do not.
    (free,) = InProcess(tiny_model).generate([PROMPTS[1]], Sampling(12), 1)
    folder = tmp_path / "m"
    folder.mkdir()
    for file in tiny_model.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": free.ids[4]}))
    server = InProcess(folder)
    written = list(server.generate(PROMPTS, Sampling(12), 4, top_k=7, keep=keep))
    assert len({len(one.ids) for one in written}) > 1
    windows = [
        Window((*prompt, *one.ids), len(prompt) + max(0, len(one.ids) - keep), len(prompt))
        for prompt, one in zip(PROMPTS, written, strict=True)
    ]
    for one, forced in zip(written, server.force(windows, 7, 4), strict=True):
        own = one.scores
        assert own is not None
        np.testing.assert_array_equal(logits(own), logits(forced))
        np.testing.assert_array_equal(own.top_ids[:, 0], one.ids[-keep:])
        np.testing.assert_array_equal(own.chosen, own.top_logprobs[:, 0])
    assert [one.ids for one in server.generate(PROMPTS, Sampling(12), 4)] == [one.ids for one in written]


def test_each_prompt_has_its_own_most_tokens_and_the_batch_is_the_same(server: InProcess) -> None:
    limits = [2 + 3 * place for place in range(len(PROMPTS))]
    whole = list(server.generate(PROMPTS, Sampling(max(limits)), 4))
    found = list(server.generate(PROMPTS, Sampling(max(limits)), 4, limits=limits, top_k=7, keep=99))
    assert [one.ids for one in found] == [one.ids[:most] for one, most in zip(whole, limits, strict=True)]
    assert [one.finished for one in found] == [
        other.finished and len(other.ids) <= most for other, most in zip(whole, limits, strict=True)
    ]
    # What was written under limits, and what is forced along it, ran in the same batches: equal to the last bit.
    windows = [Window((*ids, *one.ids), len(ids)) for ids, one in zip(PROMPTS, found, strict=True)]
    for one, forced in zip(found, server.force(windows, 7, 4), strict=True):
        np.testing.assert_array_equal(logits(one.scores), logits(forced))


def test_a_batch_that_is_too_long_together_is_told_what_to_lower(server: InProcess) -> None:
    prompts, limits = [[5] * 400, [6] * 20], [10, 300]
    with pytest.raises(InputError, match=r"700 tokens, .* 512 positions; a batch .* lower --batch-size"):
        list(server.generate(prompts, Sampling(300), 2, limits=limits))


def test_sampled_texts_have_their_distributions_at_temperature_1(server: InProcess) -> None:
    sampling = Sampling(10, temperature=1.7, seed=3)
    for prompt, one in zip(PROMPTS, server.generate(PROMPTS, sampling, 2, top_k=9, keep=5), strict=True):
        (forced,) = server.force([Window((*prompt, *one.ids), len(prompt) + len(one.ids) - 5, len(prompt))], 9, 1)
        np.testing.assert_allclose(logits(one.scores), logits(forced), atol=2e-5)


def test_more_tokens_than_positions_is_refused(server: InProcess) -> None:
    with pytest.raises(InputError, match=r"513 tokens, but the model .* has 512 positions"):
        list(server.force([Window(tuple([5] * 513), 500)], 3, 1))


def test_facts_name_the_architecture_and_the_tokenizer(
    server: InProcess, tiny_model: Path, tmp_path: Path
) -> None:
    facts = server.facts()
    assert facts["architecture"].startswith("LlamaForCausalLM, 2 layers of 64, vocabulary ")
    assert len(facts["tokenizer"]) == 16
    for file in tiny_model.iterdir():
        if "token" not in file.name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    assert "tokenizer" not in InProcess(tmp_path).facts()


def test_a_fault_of_the_decode_cache_shows_in_decoding_only(server: InProcess) -> None:
    clean = list(server.force(WINDOWS, 9, 5))
    with torch.inference_mode(), fp8_cache_with_wrong_scale(server.model, 2**-12):
        read = list(server.score(WINDOWS, 9, 5))
        forced = list(server.force(WINDOWS, 9, 5))
    for window, one, prefill, other in zip(WINDOWS, forced, read, clean, strict=True):
        np.testing.assert_allclose(logits(prefill), logits(other), atol=2e-5)
        # The first token behind the prompt is predicted by the prefill.
        changed = np.abs(logits(one) - logits(other)).max(axis=1) > 0.01
        assert changed[1:].all()
        assert changed[0] == (window.start > window.prompt)
