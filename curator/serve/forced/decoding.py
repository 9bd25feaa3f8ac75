"""Decoding along given tokens, as an SGLang client asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.serve.forced.request import forcing, processor
from curator.serve.forced.shift import unforced
from curator.serve.interface import Continuation, Scores, Window


def cannot_force(info: Mapping[str, Any], allow_code: bool) -> str | None:
    """Why a server cannot decode along given tokens, in words; ``None`` where it can.

    Args:
        info: what ``/server_info`` said.
        allow_code: the user lets code run there.
    """
    started = info.get("enable_custom_logit_processor") is True
    if not allow_code:
        start = "" if started else "start it with --enable-custom-logit-processor, and "
        return f"forced decoding runs a few lines of code on the server; if it is yours, {start}give --allow-code"
    if not started:
        return "forced decoding needs a server started with --enable-custom-logit-processor"
    if info.get("speculative_algorithm") is not None:
        return "forced decoding needs a server without speculative decoding"
    return None


class Forced:
    """Windows as requests to decode them, and their answers as the model's own distributions.

    Args:
        windows: what is decoded.
        top_k: length of the lists; one entry more is asked for.

    Attributes:
        prompts: what is prefilled, of each window.
        tokens: what is decoded behind it.
        fields: of the requests.
        params: of each prompt's sampling.
    """

    def __init__(self, windows: Sequence[Window], top_k: int) -> None:
        self._windows = windows
        self._top_k = top_k
        self.prompts = [window.ids[: window.prompt] for window in windows]
        self.tokens = [window.ids[window.prompt :] for window in windows]
        self.fields = {"custom_logit_processor": processor()}
        self.params = [forcing(tokens) for tokens in self.tokens]

    def scores(self, index: int, decoded: Continuation) -> Scores:
        """The distributions of a window's scored tokens.

        Args:
            index: which window.
            decoded: the server's answer, with the lists of all its tokens.

        Raises:
            ServerError: the server took other tokens.
        """
        assert decoded.scores is not None
        scores = unforced(decoded.scores, self.tokens[index], self._top_k)
        scored = self._windows[index].scored
        return Scores(scores.top_ids[-scored:], scores.top_logprobs[-scored:], scores.chosen[-scored:])
