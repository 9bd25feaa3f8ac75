"""What a baseline is taken with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from curator.measure.heldout import Prompt
from curator.serve.interface import Window

Phase = Literal["prefill", "decode"]
Place = Literal["last", "first", "spread"]
PHASES: tuple[Phase, ...] = ("prefill", "decode")
DEFAULT_TOP_K = 256
DEFAULT_TOKENS = 128
DEFAULT_BATCH = 8
SAMPLING = "greedy, temperature 1 in logprobs"


def phases_of(asked: Phase | Literal["both"]) -> tuple[Phase, ...]:
    """The phases that a word of the command line means."""
    return PHASES if asked == "both" else (asked,)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a baseline is taken with.

    Attributes:
        tokens: scored tokens a prompt at most, none behind EOS.
        max_new: greedy tokens decoded at most of a prompt that sets no length of its answer itself.
        top_k: length of the stored lists.
        batch_sizes: batch sizes scored; the first is the primary one.
        full: keep full-vocabulary logits of the prefill too, where the backend has them.
        most_new: the most that such a prompt may set; ``None`` for no limit.
        phases: ``prefill``: a whole window is read at once; ``decode``: a token at a time, as when it was written.
        place: which tokens of a continuation are scored: the ``last``, the ``first``, or ones ``spread`` evenly.
    """

    tokens: int = DEFAULT_TOKENS
    max_new: int = DEFAULT_TOKENS
    top_k: int = DEFAULT_TOP_K
    batch_sizes: tuple[int, ...] = (DEFAULT_BATCH,)
    full: bool = True
    most_new: int | None = None
    phases: tuple[Phase, ...] = ("prefill",)
    place: Place = "last"

    def new_tokens(self, prompt: Prompt) -> int:
        """The most tokens decoded of a prompt; as many as are scored at least."""
        if self.place == "first":
            return self.tokens
        if prompt.output_tokens is None:
            return max(self.max_new, self.tokens)
        own = prompt.output_tokens if self.most_new is None else min(prompt.output_tokens, self.most_new)
        return max(own, self.tokens)

    def window(self, prompt: int, ids: tuple[int, ...]) -> Window:
        """The window of a prompt of so many tokens and its continuation."""
        return Window(ids, max(prompt, len(ids) - self.tokens) if self.place == "last" else prompt, prompt)

    def picked(self, window: Window) -> NDArray[np.int64]:
        """Which of a window's scored tokens are kept, counted from its start."""
        if window.scored <= self.tokens:
            return np.arange(window.scored)
        # Only of a spread window more tokens are asked than kept; the first and the last are among them.
        return np.linspace(0, window.scored - 1, self.tokens).round().astype(np.int64)

    def stored(self) -> dict[str, Any]:
        """The settings as they are written down, batch sizes apart."""
        return {
            "tokens": self.tokens,
            "max_new": self.max_new,
            **({} if self.most_new is None else {"most_new": self.most_new}),
            "top_k": self.top_k,
            "window": self.place,
            "phases": list(self.phases),
            "sampling": SAMPLING,
        }
