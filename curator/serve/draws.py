"""Sampling in this process that depends on a seed and the prompt alone."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor, LogitsProcessorList

from curator.serve.interface import Sampling


def seeded_draws(sampling: Sampling, prompts: Sequence[Sequence[int]]) -> LogitsProcessorList:
    """What makes greedy decoding of a batch draw at the temperature asked; nothing at temperature 0.

    The largest of logits / temperature plus standard Gumbel noise is a draw from their softmax. Every row has a
    random stream of its own, which transformers' own sampling has not: there a batch shares one.
    """
    if not sampling.temperature:
        return LogitsProcessorList()
    return LogitsProcessorList([_Gumbel(sampling.temperature, [sampling.seed_of(prompt) for prompt in prompts])])


class _Gumbel(LogitsProcessor):  # type: ignore[misc]
    def __init__(self, temperature: float, seeds: Sequence[int]) -> None:
        self._temperature = temperature
        # On the processor, so that every device draws the same.
        self._streams = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Logits of the next token, float [batch, vocabulary], with noise added."""
        width = scores.shape[-1]
        noise = torch.stack([torch.empty(width).exponential_(generator=stream) for stream in self._streams])
        return scores / self._temperature - noise.to(scores.device).log()
