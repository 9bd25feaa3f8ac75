"""Forced decoding through the client: the stub runs what the client sends, as SGLang does."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from client_of_stub import connect
from stub_sglang import VOCABULARY, Stub, triples

from curator._errors import InputError, ServerError
from curator.serve.interface import Window

WINDOWS = [
    Window((3, 17, 5, 22, 9, 31), 3, 2),
    Window((8, 39, 39, 2), 1),
    Window((1, 2, 3, 4, 5, 6, 7, 8), 6, 4),
]


class ForcingStub(Stub):
    """Runs the processor of each request on its logits."""

    def __init__(self) -> None:
        super().__init__()
        self.info |= {"enable_custom_logit_processor": True, "speculative_algorithm": None}
        self.deaf = False

    def answer(self, index: int, body: dict[str, Any]) -> dict[str, Any]:
        if "custom_logit_processor" not in body:
            return super().answer(index, body)
        raised = pickle.loads(bytes.fromhex(json.loads(body["custom_logit_processor"])["callable"]))()
        ids, sampling, k = body["input_ids"][index], body["sampling_params"], body["top_logprobs_num"]
        sampling = sampling[index] if isinstance(sampling, list) else sampling
        request = SimpleNamespace(output_ids=[])
        params = {**sampling["custom_params"], "__req__": request}
        rows: list[np.ndarray] = []
        while len(rows) < sampling["max_new_tokens"]:
            logits = torch.from_numpy(self.predict(ids + request.output_ids)).float()[None]
            logits = logits if self.deaf else raised(logits, [params])
            rows.append(torch.log_softmax(logits, -1)[0].numpy())
            request.output_ids.append(int(rows[-1].argmax()))
        meta = {
            "id": body["rid"][index],
            "prompt_tokens": len(ids),
            "finish_reason": {"type": "length", "length": len(rows)},
            "output_token_logprobs": [
                [float(row[token]), token, None] for row, token in zip(rows, request.output_ids, strict=True)
            ],
            "output_top_logprobs": [triples(row, k) for row in rows],
        }
        return {"text": "", "output_ids": request.output_ids, "meta_info": meta}


@pytest.fixture
def forcing_stub() -> Iterator[ForcingStub]:
    server = ForcingStub()
    yield server
    server.stop()


@pytest.mark.parametrize("k", [5, VOCABULARY])
def test_forced_lists_are_the_models_own(forcing_stub: ForcingStub, k: int) -> None:
    server = connect(forcing_stub, allow_code=True)
    assert server.can_force() is None
    forced = list(server.force(WINDOWS, k, 2))
    assert [len(body["input_ids"]) for body in forcing_stub.sent("/generate")] == [2, 1]
    # The stub's distributions depend on the text alone: decoding and prefill see the same.
    for window, one, other in zip(WINDOWS, forced, server.score(WINDOWS, k, 2), strict=True):
        assert len(one.chosen) == window.scored
        np.testing.assert_array_equal(one.top_ids, other.top_ids)
        np.testing.assert_allclose(one.top_logprobs, other.top_logprobs, atol=2e-5)
        np.testing.assert_allclose(one.chosen, other.chosen, atol=2e-5)


@pytest.mark.parametrize(
    ("info", "allow", "reason"),
    [
        ({}, False, "on the server; if it is yours, give --allow-code"),
        # Both that it lacks at once, not one after the other.
        (
            {"enable_custom_logit_processor": False},
            False,
            "start it with --enable-custom-logit-processor, and give --allow-code",
        ),
        ({"enable_custom_logit_processor": False}, True, "started with --enable-custom-logit-processor"),
        ({"speculative_algorithm": "EAGLE"}, True, "without speculative decoding"),
    ],
)
def test_where_it_cannot_be_a_word_says_why_and_nothing_is_sent(
    forcing_stub: ForcingStub, info: dict[str, Any], allow: bool, reason: str
) -> None:
    forcing_stub.info |= info
    server = connect(forcing_stub, allow_code=allow)
    said = server.can_force()
    assert said is not None
    assert reason in said
    with pytest.raises(InputError, match=f"{forcing_stub.url}: .*{reason}"):
        list(server.force(WINDOWS, 5, 2))
    assert not forcing_stub.sent("/generate")


def test_a_server_on_which_the_code_does_nothing_is_noticed(forcing_stub: ForcingStub) -> None:
    forcing_stub.deaf = True
    server = connect(forcing_stub, allow_code=True)
    with pytest.raises(ServerError, match=f"{forcing_stub.url}: the server took another token"):
        list(server.force(WINDOWS, 5, 2))


def test_ids_outside_the_vocabulary_are_not_sent(forcing_stub: ForcingStub) -> None:
    server = connect(forcing_stub, allow_code=True)
    with pytest.raises(InputError, match="outside the vocabulary"):
        list(server.force([Window((1, 2, VOCABULARY), 1)], 5, 1))
    assert not forcing_stub.sent("/generate")
