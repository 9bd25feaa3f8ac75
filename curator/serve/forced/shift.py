r"""Undoing a forced token's raised logit.

Let m be the largest logit of the other tokens, l the forced token's, and e = m + margin - l what it lacks to lead
by the margin. The server raises l so that greedy decoding takes it (on_server.py), by an amount that shows in what
it returns:

    e < 0:   l' = l                         (it leads by more than the margin)
    e >= 0:  l' = m + max(margin - slope * log(1 + e), least)

The lead l' - m falls as e grows and is the difference of the two largest returned logprobs: e follows, and with it
the shift C = l' - l = e - slope * log(1 + e). With a the returned logprob of the forced token, the normaliser was
changed by

    log Z - log Z' = log(1 - e^a * (1 - e^-C)).

A constant shift large enough to win always would leave nothing of 1 - e^a but rounding. Here a raised token has a
probability of at most 1 / (1 + e^-margin), and where it is that, C is 0: a rounding of a counts about tenfold at
most, and a token that leads by itself, which most do, is not touched. Logits are float32 on the server, also those
of a BF16 model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator._errors import ServerError
from curator.serve.interface import Scores

MARGIN = 4.0
SLOPE = 0.75
# Reached 177 nats behind, where the token's probability is 0 in float32; its logprob is reported as if there.
LEAST = 0.1
# Nats. What is nearer than this to another logprob was equal to it: BF16 logits tie often, and differ by more.
_TIE = 5e-5


def unforced(raised: Scores, tokens: tuple[int, ...], top_k: int) -> Scores:
    """The distributions as they were before the forced tokens' logits were raised.

    Args:
        raised: what the server returned for decoded tokens, lists of one more entry than wanted: a forced
            token that was not among the likeliest has taken a place.
        tokens: the forced tokens.
        top_k: length of the lists wanted.

    Raises:
        ServerError: another token than the forced one leads a list.
    """
    own, logprobs = np.array(tokens)[:, None], raised.top_logprobs.astype(np.float64)
    wrong = np.flatnonzero(raised.top_ids[:, 0] != own[:, 0])
    if len(wrong):
        raise ServerError(
            f"the server took another token than the forced one at decoded token {wrong[0]}; start it with "
            "--disable-overlap-schedule"
        )
    lead = logprobs[:, :1] - logprobs[:, 1:2]
    short = np.maximum(MARGIN - lead, 0.0)
    shift = np.expm1(short / SLOPE) - short
    change = np.log1p(np.exp(logprobs[:, :1]) * np.expm1(-shift))
    logprobs[:, 0] = _tied(logprobs[:, 0] - shift[:, 0], logprobs[:, 1:])
    logprobs -= change
    order = np.argsort(-logprobs, axis=1, kind="stable")[:, :top_k]
    return Scores(
        np.take_along_axis(raised.top_ids, order, axis=1),
        np.take_along_axis(logprobs, order, axis=1).astype(np.float32),
        logprobs[:, 0].astype(np.float32),
    )


def _tied(own: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """The forced tokens' values, taken from the lists where they are in one but for rounding."""
    rows = np.arange(len(own))
    nearest = others[rows, np.abs(others - own[:, None]).argmin(axis=1)]
    return np.where(np.abs(nearest - own) < _TIE, nearest, own)
