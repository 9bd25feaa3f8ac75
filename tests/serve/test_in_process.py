from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from curator._errors import InputError
from curator.serve.in_process import InProcess
from curator.serve.interface import Continuation, Sampling, Server, Window, batches

WINDOWS = [Window(tuple((7 * i + 3 * j * j) % 290 + 2 for j in range(12 + 5 * i)), 3 + i) for i in range(5)]


@pytest.fixture(scope="module")
def server(tiny_model: Path) -> InProcess:
    return InProcess(tiny_model)


@pytest.fixture(scope="module")
def reference(tiny_model: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32).eval()


def test_it_is_a_server(server: InProcess) -> None:
    interface: Server = server
    facts = interface.facts()
    assert facts["backend"] == "transformers"
    assert facts["dtype"] == "float32"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_broken_model_is_told_at_its_first_answer(value: float, tiny_model: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(tiny_model, tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    weights["model.norm.weight"][3] = value
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    server = InProcess(broken)
    for answers in (
        lambda: server.score(WINDOWS, 9, 2),
        lambda: server.force(WINDOWS, 9, 2),
        lambda: server.generate([[3, 4, 5]], Sampling(2), 1, top_k=9, keep=2),
    ):
        with pytest.raises(InputError, match="broken: its logits are not numbers"):
            list(answers())


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_row_i_predicted_token_start_plus_i(server: InProcess, reference: Any, batch: int) -> None:
    for window, scores in zip(WINDOWS, server.score(WINDOWS, 9, batch), strict=True):
        with torch.inference_mode():
            logits = reference(input_ids=torch.tensor([window.ids])).logits[0]
        logprobs = torch.log_softmax(logits.double(), -1)[window.start - 1 : -1]
        assert scores.top_ids.shape == scores.top_logprobs.shape == (window.scored, 9)
        assert scores.logits is not None
        np.testing.assert_allclose(scores.logits, logits[window.start - 1 : -1], atol=1e-4)
        top = torch.topk(logprobs, 9)
        np.testing.assert_array_equal(scores.top_ids, top.indices)
        np.testing.assert_allclose(scores.top_logprobs, top.values, atol=1e-4)
        own = [float(row[token]) for row, token in zip(logprobs, window.ids[window.start :], strict=True)]
        np.testing.assert_allclose(scores.chosen, own, atol=1e-4)


def test_the_same_call_gives_the_same_bits(server: InProcess) -> None:
    for one, other in zip(server.score(WINDOWS, 9, 2), server.score(WINDOWS, 9, 2), strict=True):
        np.testing.assert_array_equal(one.logits, other.logits)  # type: ignore[arg-type]


def test_a_window_of_everything_but_the_first_token(server: InProcess) -> None:
    (scores,) = server.score([Window((5, 6, 7, 8), 1)], 3, 1)
    assert scores.top_ids.shape == (3, 3)


def test_k_above_the_vocabulary_is_lowered(server: InProcess) -> None:
    (scores,) = server.score([Window((5, 6), 1)], 10_000, 1)
    assert scores.top_ids.shape[1] < 400
    assert np.exp(scores.top_logprobs.astype(np.float64)).sum() == pytest.approx(1, abs=1e-5)


def greedy(model: Any, prompt: list[int], count: int, end: int | None = None) -> list[int]:
    ids = list(prompt)
    for _ in range(count):
        with torch.inference_mode():
            ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == end:
            break
    return ids[len(prompt) :]


PROMPTS = [[9, 20, 33], [41, 7, 8, 9, 100, 101, 30], [250], [5, 5, 6, 200, 12]]


@pytest.mark.parametrize("batch", [1, 3])
def test_greedy_decoding_equals_a_loop_without_cache(server: InProcess, reference: Any, batch: int) -> None:
    outputs = [list(one.ids) for one in server.generate(PROMPTS, Sampling(12), batch)]
    assert outputs == [greedy(reference, prompt, 12, end=1) for prompt in PROMPTS]


def copy_with(source: Path, out: Path, generation: dict[str, Any]) -> Path:
    out.mkdir()
    for file in source.iterdir():
        (out / file.name).write_bytes(file.read_bytes())
    (out / "generation_config.json").write_text(json.dumps(generation))
    return out


def test_decoding_stops_at_the_folders_end_token_inclusive(
    tiny_model: Path, reference: Any, tmp_path: Path
) -> None:
    free = greedy(reference, PROMPTS[1], 12)
    end = free[4]
    folder = copy_with(tiny_model, tmp_path / "m", {"eos_token_id": [end, 299]})
    stopped, other = InProcess(folder).generate([PROMPTS[1], PROMPTS[0]], Sampling(12), 2)
    assert stopped == Continuation(tuple(free[: free.index(end) + 1]), True)
    assert list(other.ids) == greedy(reference, PROMPTS[0], 12, end=end)
    assert other.finished == (end in other.ids)


def test_a_penalty_in_the_models_settings_is_not_greedy_and_not_used(
    tiny_model: Path, server: InProcess, tmp_path: Path
) -> None:
    settings = {"repetition_penalty": 5.0, "no_repeat_ngram_size": 1, "temperature": 0.6, "do_sample": True}
    folder = copy_with(tiny_model, tmp_path / "m", {"eos_token_id": 1, **settings})
    sampling = Sampling(12)
    assert list(InProcess(folder).generate(PROMPTS, sampling, 4)) == list(server.generate(PROMPTS, sampling, 4))


def test_more_tokens_than_positions_is_refused(server: InProcess) -> None:
    with pytest.raises(InputError, match=r"513 tokens, but the model .* has 512 positions"):
        list(server.score([Window(tuple([5] * 513), 500)], 3, 1))
    with pytest.raises(InputError, match="512 positions"):
        list(server.generate([[5] * 500], Sampling(13), 1))


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json: no such file") as error:
        InProcess(tmp_path)
    assert "\n" not in str(error.value)


def test_a_plain_model_is_no_candidate(tiny_model: Path) -> None:
    with pytest.raises(InputError, match="no quantization_config"):
        InProcess(tiny_model, "W4A4")


def test_bfloat16_is_close_to_float32(tiny_model: Path, server: InProcess) -> None:
    rounded = InProcess(tiny_model, dtype="bfloat16")
    assert rounded.facts()["dtype"] == "bfloat16"
    for one, other in zip(server.score(WINDOWS, 5, 5), rounded.score(WINDOWS, 5, 5), strict=True):
        assert one.logits is not None
        assert other.logits is not None
        difference = np.abs(one.logits - other.logits)
        assert 0 < difference.max() < 0.5


def test_batches() -> None:
    assert [list(span) for span in batches(7, 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(batches(0, 3)) == []
