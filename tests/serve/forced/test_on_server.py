"""The steps of a request, as SGLang's scheduler runs them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from curator.serve.forced.on_server import ForcedTokens
from curator.serve.forced.request import forcing

TOKENS = [7, 3, 9, 1]


class Request:
    """One request: its parameters stay the same dictionary, as on a server."""

    def __init__(self, counted: bool = True) -> None:
        self.state = SimpleNamespace(output_ids=[])
        if counted:
            self.state.decode_batch_idx = 0
        self.params: dict[str, Any] = {**forcing(TOKENS)["custom_params"], "__req__": self.state}

    def step(self, launched: int, known: int) -> int:
        """The token of a step, before which so many decode steps were launched and so many tokens are known."""
        if hasattr(self.state, "decode_batch_idx"):
            self.state.decode_batch_idx = launched
        self.state.output_ids = TOKENS[:known]
        return int(ForcedTokens()(torch.zeros(1, 12), [self.params]).argmax())


def test_a_scheduler_that_waits_for_each_token() -> None:
    for counted in (True, False):
        request = Request(counted)
        assert [request.step(step, step) for step in range(4)] == TOKENS


def test_a_scheduler_that_launches_a_step_before_it_has_read_the_last_token() -> None:
    request = Request()
    assert [request.step(step, max(0, step - 1)) for step in range(4)] == TOKENS


def test_chunks_of_a_long_prompt_take_no_token() -> None:
    request = Request()
    # Three chunks are sampled, the last one counts.
    assert [request.step(0, 0) for _ in range(3)][-1] == TOKENS[0]
    assert [request.step(step, step - 1) for step in (1, 2, 3)] == TOKENS[1:]


def test_a_request_that_gave_way_goes_on_where_it_was() -> None:
    request = Request()
    assert [request.step(0, 0), request.step(1, 0), request.step(2, 1)] == TOKENS[:3]
    # Its third token was thrown away: prefilled again with the two known, the counter anew.
    assert [request.step(0, 2), request.step(1, 2)] == TOKENS[2:]


def test_other_requests_and_what_is_behind_the_end_are_left_alone() -> None:
    request = Request()
    logits = torch.randn(4, 12)
    request.state.decode_batch_idx = 4
    request.params["prefilled"] = 0
    strange = {**request.params, "tokens": [12] * 9}
    result = ForcedTokens()(logits.clone(), [None, {"temperature": 1}, request.params, strange])
    assert torch.equal(result, logits)


def test_rows_of_a_batch_are_at_their_own_steps() -> None:
    requests = [Request() for _ in range(3)]
    for launched, request in enumerate(requests):
        request.params["prefilled"] = 0
        request.state.decode_batch_idx = launched
    logits = torch.randn(4, 12)
    result = ForcedTokens()(logits.clone(), [requests[2].params, None, requests[0].params, requests[1].params])
    assert result[[0, 2, 3]].argmax(-1).tolist() == [TOKENS[2], TOKENS[0], TOKENS[1]]
    assert torch.equal(result[1], logits[1])
    assert (result != logits).sum() == 3
