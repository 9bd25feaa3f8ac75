"""A server with known answers for the tests of this room."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from curator._errors import RefusedError, ServerError
from curator.measure.heldout import Prompt
from curator.serve.interface import Continuation, Sampling, Scores, Window

VOCABULARY = 20


def prompt(index: int, text: str) -> Prompt:
    return Prompt(f"p{index}", ("prose", "code")[index % 2], "file", "unit", "en", "MIT", text)


PROMPTS = [prompt(i, "The ferry leaves the harbour at noon."[: 36 - 5 * i]) for i in range(6)]


def scores_of(tokens: Sequence[int], top_k: int, shift: float = 0.0, logits: bool = False) -> Scores:
    """Distributions that depend on the tokens alone; ``shift`` flattens them."""
    rows = np.stack([np.roll(np.arange(float(VOCABULARY)), token) for token in tokens]) * (1 - shift)
    logprobs = rows - np.log(np.exp(rows).sum(-1, keepdims=True))
    ids = np.argsort(-logprobs, axis=-1)[:, : min(top_k, VOCABULARY)]
    return Scores(
        ids.astype(np.int32),
        np.take_along_axis(logprobs, ids, -1).astype(np.float32),
        logprobs[:, 0].astype(np.float32),
        rows.astype(np.float32) if logits else None,
    )


class Fake:
    """Continuations given by the prompt's length, scores that depend on the window and the batch size alone.

    Attributes:
        asked: what was asked: phase, first place's ids, number of items, batch size.
        fail_at: the item of a pass, counted from its start, before which the server dies.
        swap_at: the same for other weights.
        unforced: why it cannot be forced.
        limit: the most sequences at once.
    """

    def __init__(self, continuations: dict[int, list[int]] | None = None, logits: bool = False) -> None:
        self.continuations = continuations or {}
        self.logits = logits
        self.notes: list[str] = []
        self.other_facts: dict[str, str] = {}
        self.asked: list[tuple[str, int, int]] = []
        self.fail_at: int | None = None
        self.swap_at: int | None = None
        self.unforced: str | None = None
        self.limit = sys.maxsize
        self.weights = "0.5 0.25"
        self.ran: dict[int, int] = {}
        self.trusted = 0
        self.shift = 0.0

    @property
    def achieved(self) -> Mapping[int, int]:
        return self.ran

    def longest(self) -> int | None:
        return None

    def facts(self) -> dict[str, str]:
        return {"backend": "fake", "version": "1", "dtype": "float32", **self.other_facts}

    def weights_probe(self) -> str:
        return self.weights

    def batch_limit(self, lengths: Sequence[int], new_tokens: int) -> int:
        return self.limit

    def can_force(self) -> str | None:
        return self.unforced

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
        self.asked.append(("generate", len(prompts), batch_size))
        for index, (ids, most) in enumerate(
            zip(prompts, limits or [sampling.new_tokens] * len(prompts), strict=True)
        ):
            self._may_fail(index)
            new = self.continuations.get(len(ids), [5] * most)[:most]
            scores = scores_of(new[-keep:], top_k, self.shift, self.logits) if top_k else None
            yield Continuation(tuple(new), len(new) < most, scores)

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        self.asked.append(("score", len(windows), batch_size))
        return self._scores(windows, top_k, batch_size)

    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        assert self.unforced is None
        self.asked.append(("force", len(windows), batch_size))
        return self._scores(windows, top_k, batch_size)

    def _scores(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        for index, window in enumerate(windows):
            self._may_fail(index)
            shift = self.shift + batch_size / 1e3
            yield scores_of(window.ids[window.start :], top_k, shift, self.logits)

    def _may_fail(self, index: int) -> None:
        if index == self.fail_at:
            raise ServerError("the server died")
        if index == self.swap_at:
            self.trusted = max(index - 1, 0)
            raise RefusedError("other weights")

    def close(self) -> None:
        pass
