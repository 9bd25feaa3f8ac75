from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from curator._errors import ServerError
from curator.serve.forced.on_server import ForcedTokens
from curator.serve.forced.request import forcing
from curator.serve.forced.shift import LEAST, MARGIN, SLOPE, unforced
from curator.serve.interface import Scores

VOCABULARY, K = 500, 16


def served(logits: torch.Tensor, tokens: list[int], k: int) -> Scores:
    """What a server returns of these steps: raised, greedy token taken, logprobs in float32."""
    requests = [SimpleNamespace(output_ids=[0] * step, decode_batch_idx=step) for step in range(len(tokens))]
    params: list[dict[str, Any] | None] = [
        {**forcing(tokens)["custom_params"], "__req__": request} for request in requests
    ]
    raised = ForcedTokens()(logits, params)
    assert raised.dtype == torch.float32
    assert raised.argmax(-1).tolist() == tokens
    logprobs = torch.log_softmax(raised, -1).clamp(min=torch.finfo(torch.float32).min)
    top = logprobs.topk(k, -1)
    return Scores(top.indices.int().numpy(), top.values.numpy(), top.values[:, 0].numpy())


def places(logits: torch.Tensor, ranks: list[int]) -> list[int]:
    order = logits.argsort(-1, descending=True)
    return [int(row[rank]) for row, rank in zip(order, ranks, strict=True)]


@pytest.mark.parametrize("scale", [0.1, 1.0, 6.0, 20.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_forced_token_leaves_no_trace_in_the_lists(scale: float, dtype: torch.dtype) -> None:
    torch.manual_seed(1)
    ranks = [0, 0, 1, 2, K - 1, K, K + 1, 100, VOCABULARY - 1] * 5
    logits = (torch.randn(len(ranks), VOCABULARY) * scale).to(dtype).float()
    tokens = places(logits, ranks)
    true = torch.log_softmax(logits.double(), -1)
    scores = unforced(served(logits, tokens, K + 1), tuple(tokens), K)
    expected = true.topk(K, -1).values.numpy()
    # Logits of BF16 tie, so ids are compared by their values.
    # What a logprob far down costs in precision grows with its distance.
    close = {"rtol": 1e-5, "atol": 2e-5}
    np.testing.assert_allclose(scores.top_logprobs, expected, **close)
    np.testing.assert_allclose(
        true.gather(-1, torch.from_numpy(scores.top_ids).long()), scores.top_logprobs, **close
    )
    assert all(len(set(row)) == K for row in scores.top_ids.tolist())
    own = true[torch.arange(len(tokens)), tokens].numpy()
    np.testing.assert_allclose(scores.chosen, own, **close)
    assert scores.top_ids.dtype == np.int32
    assert scores.top_logprobs.dtype == scores.chosen.dtype == np.float32


@pytest.mark.parametrize("lead", [0.0, 1e-4, 0.5, 3.99, 4.0, 5.0, 40.0, 90.0])
def test_a_token_that_leads_or_ties_by_itself(lead: float) -> None:
    logits = torch.tensor([[1.0 + lead, 1.0, -3.0, 0.5]])
    scores = unforced(served(logits, [0], 4), (0,), 4)
    true = torch.log_softmax(logits.double(), -1)[0].numpy()
    assert scores.top_ids[0].tolist() == [0, 1, 3, 2]
    np.testing.assert_allclose(scores.top_logprobs[0], true[[0, 1, 3, 2]], atol=2e-6, rtol=1e-6)


def test_a_token_that_ties_is_as_likely_as_the_other_and_not_less() -> None:
    torch.manual_seed(5)
    logits = (torch.randn(40, VOCABULARY) * 4).bfloat16().float()
    tokens = places(logits, [7] * 40)
    others = places(logits, [place % 5 for place in range(40)])
    logits[range(40), tokens] = logits[range(40), others]
    scores = unforced(served(logits, tokens, K + 1), tuple(tokens), K)
    listed = [row.tolist().index(other) for row, other in zip(scores.top_ids, others, strict=True)]
    np.testing.assert_array_equal(scores.chosen, scores.top_logprobs[range(40), listed])
    leading = [place for place in range(40) if place % 5 == 0]
    assert scores.top_ids[leading, 0].tolist() == [tokens[place] for place in leading]


@pytest.mark.parametrize("logit", [-230.0, -1e30, -np.inf])
def test_a_token_that_cannot_come_is_forced_and_its_logprob_is_a_bound(logit: float) -> None:
    logits = torch.tensor([[0.0, logit, 2.0, 1.0]])
    scores = unforced(served(logits, [1], 4), (1,), 3)
    assert scores.top_ids[0].tolist() == [2, 3, 0]
    np.testing.assert_allclose(scores.top_logprobs[0], torch.log_softmax(logits[0, [2, 3, 0]], -1), atol=1e-6)
    assert scores.chosen[0] == pytest.approx(-np.expm1((MARGIN - LEAST) / SLOPE), rel=0.03)


def test_all_others_impossible() -> None:
    logits = torch.tensor([[-np.inf, 3.0, -np.inf, -np.inf]])
    scores = unforced(served(logits, [1], 3), (1,), 2)
    assert scores.chosen[0] == pytest.approx(0.0, abs=1e-6)
    assert scores.top_logprobs[0, 1] < -1e30


def test_a_server_that_took_another_token_is_refused() -> None:
    scores = served(torch.eye(4) * 3, [1, 2, 0, 3], 4)
    with pytest.raises(ServerError, match="another token than the forced one at decoded token 2"):
        unforced(scores, (1, 2, 3, 3), 3)
