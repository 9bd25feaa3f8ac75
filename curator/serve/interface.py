"""What measuring needs from a model, whoever runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from curator._seed import stable_hash

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]
Dtype = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class Window:
    """A token sequence of which the tail is scored.

    Attributes:
        ids: prompt and continuation.
        start: index of the first scored token, at least 1; scored are ``ids[start:]``.
        prompt: number of tokens that were given, at least 1 and at most ``start``; the rest was decoded. Left
            out, all before ``start``.
    """

    ids: tuple[int, ...]
    start: int
    prompt: int = 0

    def __post_init__(self) -> None:
        """Take the prompt for all before the start where it is left out."""
        if self.prompt == 0:
            object.__setattr__(self, "prompt", self.start)

    @property
    def scored(self) -> int:
        """Number of scored tokens."""
        return len(self.ids) - self.start


@dataclass(frozen=True, slots=True)
class Scores:
    """The distributions from which a window's scored tokens were predicted (N tokens).

    Attributes:
        top_ids: int32 [N, K], most likely first.
        top_logprobs: float32 [N, K], natural logarithm, temperature 1.
        chosen: float32 [N], logprob of the window's own token.
        logits: float32 [N, vocabulary], only from a backend that has them.
    """

    top_ids: IntArray
    top_logprobs: FloatArray
    chosen: FloatArray
    logits: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a continuation is decoded.

    Attributes:
        new_tokens: the most tokens of one.
        temperature: 0 takes the likeliest token each time; otherwise logits are divided by it, and nothing is
            cut from the distribution.
        seed: of the draws, used above temperature 0. A prompt's draws depend on it and on the prompt's ids, never
            on what else is in the batch.
    """

    new_tokens: int
    temperature: float = 0.0
    seed: int = 0

    def seed_of(self, prompt: Sequence[int]) -> int:
        """The seed of one prompt's draws, below 2**31."""
        return stable_hash("sampling", self.seed, *prompt) % 2**31


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a model wrote after a prompt.

    Attributes:
        ids: the new tokens, an end token included when one came.
        finished: the model ended it; otherwise it was cut at the most tokens.
        scores: the distributions that its last tokens were decoded from, when asked.
    """

    ids: tuple[int, ...]
    finished: bool
    scores: Scores | None = None


class Server(Protocol):
    """A model that decodes and scores given tokens."""

    @property
    def notes(self) -> list[str]:
        """What the user should know and is no error, such as a lowered K; grows as requests are made."""

    @property
    def achieved(self) -> Mapping[int, int]:
        """Smallest batch that really ran, by the batch size asked, where it was not that."""

    @property
    def trusted(self) -> int:
        """When the weights change during a pass: how many results of it, in order, are of the first ones."""

    def facts(self) -> dict[str, str]:
        """What must be equal for two measurements to be comparable, and what identifies the model."""

    def weights_probe(self) -> str:
        """What the weights are known by; compared by `curator.serve.probe.same_weights`."""

    def longest(self) -> int | None:
        """Tokens that a sequence may have, ``None`` when unknown."""

    def batch_limit(self, lengths: Sequence[int], new_tokens: int) -> int:
        """The most sequences that the server can really run at once; ``sys.maxsize`` where nothing limits it.

        Args:
            lengths: tokens of each sequence before decoding.
            new_tokens: tokens decoded after each.
        """

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        batch_size: int,
        *,
        limits: Sequence[int] | None = None,
        top_k: int = 0,
        keep: int = 0,
    ) -> Iterator[Continuation]:
        """Continuations, in the order of the prompts; each ends with EOS if one came.

        Args:
            prompts: token ids of each.
            sampling: how they are decoded.
            batch_size: prompts that are decoded together, whatever their limits.
            limits: the most tokens of each prompt, at most ``sampling.new_tokens``; that for all when left out.
            top_k: length of the lists in ``Continuation.scores``; 0 leaves those out.
            keep: tokens of each continuation, from its end, whose distributions are wanted, at least 1 with
                ``top_k``. They are at temperature 1 whatever the sampling.
        """

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Prefill-scored distributions of each window, in the order given."""

    def can_force(self) -> str | None:
        """Why ``force`` cannot be used, in words; ``None`` where it can."""

    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Distributions of each window's scored tokens as they are when the window is decoded.

        ``ids[:prompt]`` is prefilled, then every token is decoded in a step of its own, with the window's own
        token taken whatever the model prefers. The values are the model's: nothing of the forcing is left in
        them.

        Raises:
            InputError: ``can_force`` says why.
        """

    def close(self) -> None:
        """Give back memory and connections."""


def batches(count: int, size: int) -> Iterator[range]:
    """Consecutive index ranges of at most ``size``."""
    for start in range(0, count, size):
        yield range(start, min(start + size, count))
