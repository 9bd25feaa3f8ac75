r"""Undoing a forced token's raised logit.

Let m be the largest logit of the other tokens and d = m - l how far the forced token's logit l is behind it. The
server raises l so that greedy decoding takes it (on_server.py), by an amount that shows in what it returns:

    d >= 0:  l' = m + max(margin - slope * log(1 + d), least)
    d < 0:   l' = l + margin

The lead l' - m is at most ``margin`` in the first case and more in the second. It is the difference of the two
largest returned logprobs, so d follows, and with it the shift C = l' - l. With a the returned logprob of the
forced token, the normaliser was changed by

    log Z - log Z' = log(1 - e^a * (1 - e^-C)).

A constant shift large enough to win always would leave 1 - e^a nothing but rounding; here e^a stays below
1 / (1 + e^-margin) unless the token won by itself, and no step loses more than a factor e^margin. Logits are
float32 on the server, also those of a BF16 model.
"""

from __future__ import annotations

import numpy as np

from curator._errors import ServerError
from curator.serve.interface import Scores

MARGIN = 4.0
SLOPE = 0.75
# Reached at d = 180: the token's probability is 0 in float32, and its logprob is reported as if d were that.
LEAST = 0.1


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
    behind = np.where(lead > MARGIN, MARGIN - lead, np.expm1(np.maximum(MARGIN - lead, 0.0) / SLOPE))
    shift = np.where(lead > MARGIN, MARGIN, lead + behind)
    change = np.log1p(np.exp(logprobs[:, :1]) * np.expm1(-shift))
    logprobs[:, :1] -= shift
    logprobs -= change
    order = np.argsort(-logprobs, axis=1, kind="stable")[:, :top_k]
    return Scores(
        np.take_along_axis(raised.top_ids, order, axis=1),
        np.take_along_axis(logprobs, order, axis=1).astype(np.float32),
        logprobs[:, 0].astype(np.float32),
    )
