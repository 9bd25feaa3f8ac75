"""What is asked of ``/generate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curator.serve.interface import Sampling

# Sent with every request: what a server was started with (--preferred-sampling-params) must not leak in.
NEUTRAL: dict[str, Any] = {
    "temperature": 0,
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
}


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts that shall be in the server together.

    With ids instead of text SGLang passes one request's prompts to its scheduler in one message: they are
    queued together, and nothing else is sent until they are answered.

    Attributes:
        rows: token ids of each prompt.
        sampling: sampling parameters of each.
        starts: first position with logprobs of each; empty for none of the prompt's.
        fields: other fields of the request.
    """

    rows: Sequence[Sequence[int]]
    sampling: Sequence[Mapping[str, Any]]
    starts: Sequence[int] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)

    def part(self, begin: int, end: int) -> Batch:
        """The prompts from ``begin`` to ``end``."""
        span = slice(begin, end)
        return Batch(self.rows[span], self.sampling[span], self.starts[span], self.fields)

    def body(self, names: Sequence[str]) -> dict[str, Any]:
        """The request.

        Args:
            names: one for each prompt, never used before. An answer repeats its prompt's. SGLang shares cached
                prefixes between prompts of one name only: under names of their own, nothing that was asked before
                and nothing else in the batch changes a result, and the scheduler has no reason to hold back
                prompts that begin alike.
        """
        alike = all(one == self.sampling[0] for one in self.sampling)
        return {
            "input_ids": [list(row) for row in self.rows],
            "sampling_params": dict(self.sampling[0]) if alike else [dict(one) for one in self.sampling],
            "stream": False,
            "rid": list(names),
            "extra_key": list(names),
            **({"logprob_start_len": list(self.starts)} if self.starts else {}),
            **self.fields,
        }


def sampling_of(sampling: Sampling, prompt: Sequence[int]) -> dict[str, Any]:
    """The sampling parameters of one prompt."""
    asked = {**NEUTRAL, "max_new_tokens": sampling.new_tokens, "ignore_eos": False}
    if not sampling.temperature:
        return asked
    return {**asked, "temperature": sampling.temperature, "sampling_seed": sampling.seed_of(prompt)}
