"""What a baseline is taken with."""

from __future__ import annotations

from dataclasses import dataclass

from curator.measure.heldout import Prompt

DEFAULT_TOP_K = 256
DEFAULT_TOKENS = 128
DEFAULT_BATCH = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """What a baseline is taken with.

    Attributes:
        tokens: scored tokens a prompt at most (the last ones at or before EOS).
        max_new: greedy tokens decoded at most of a prompt that sets no length of its answer itself.
        most_new: the most that such a prompt may set; ``None`` for no limit.
        top_k: length of the stored lists.
        batch_sizes: batch sizes scored; the first is the primary one.
        full: keep full-vocabulary logits too, where the backend has them.
    """

    tokens: int = DEFAULT_TOKENS
    max_new: int = DEFAULT_TOKENS
    top_k: int = DEFAULT_TOP_K
    batch_sizes: tuple[int, ...] = (DEFAULT_BATCH,)
    full: bool = True
    most_new: int | None = None

    def new_tokens(self, prompt: Prompt) -> int:
        """The most tokens decoded of a prompt; as many as are scored at least."""
        if prompt.output_tokens is None:
            return self.max_new
        own = prompt.output_tokens if self.most_new is None else min(prompt.output_tokens, self.most_new)
        return max(own, self.tokens)
