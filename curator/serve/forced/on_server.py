"""Runs inside an SGLang server, before it samples: has each request take the tokens that it names.

Sent as source (see request.py), so it may import nothing of ours and must suit any Python that SGLang runs on.
An exception here ends the server for everyone: what cannot be forced is left as it is, and the client sees
another token.
"""

from __future__ import annotations

import math
from typing import Any

import torch


class ForcedTokens:
    """Raises one logit of each row, by an amount that the returned logprobs give away; see shift.py."""

    def __call__(self, logits: torch.Tensor, custom_param_list: list[dict[str, Any] | None]) -> torch.Tensor:
        """Logits [rows, vocabulary] with the next token of each row on top.

        Args:
            logits: float32, one row a request.
            custom_param_list: of each row: ``tokens`` that it shall take; ``margin``, ``slope`` and ``least``
                as in shift.py; ``__req__``, the server's own record of the request.
        """
        rows, tokens = [], []
        for row, params in enumerate(custom_param_list or []):
            token = _next_token(params)
            if token is not None and token < logits.shape[1]:
                rows.append(row)
                tokens.append(token)
        if not rows:
            return logits
        params = custom_param_list[rows[0]] or {}
        at = torch.tensor(rows, device=logits.device), torch.tensor(tokens, device=logits.device)
        own = logits[at].double()
        others = logits.index_put(at, logits.new_tensor(-math.inf))[at[0]].amax(dim=-1).double()
        excess = others + params["margin"] - own
        lead = params["margin"] - params["slope"] * torch.log1p(excess.clamp(min=0.0))
        raised = torch.where(excess >= 0.0, others + lead.clamp(min=params["least"]), own)
        return logits.index_put(at, raised.to(logits.dtype))


def _next_token(params: dict[str, Any] | None) -> int | None:
    """The token that a request takes in this step, ``None`` when it is not to be forced or has no more."""
    if not params or "__req__" not in params:
        return None
    request = params["__req__"]
    # The steps launched since the prefill. The length of `output_ids` lags one step behind where the scheduler
    # launches a step before it has read the last one's tokens.
    decoded = getattr(request, "decode_batch_idx", None)
    step = len(request.output_ids)
    if decoded:
        step = params.get("prefilled", 0) + decoded
    else:
        # Tokens that were decoded before a prefill: a request that had to give way is prefilled again.
        params["prefilled"] = step
    tokens = params["tokens"]
    return tokens[step] if step < len(tokens) else None
