"""Decoding by transformers, watched and steered by logits processors; one of each serves one batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor


class Recorder(LogitsProcessor):  # type: ignore[misc]
    """Keeps the logits that each row's last tokens were decoded from.

    Goes before every processor that changes logits.

    Args:
        steps: the most tokens of each row; what the batch decodes behind them is not recorded.
        keep: logits kept of each row.
        end: ids behind which nothing of a row is recorded either.
    """

    def __init__(self, steps: Sequence[int], keep: Sequence[int], end: Collection[int]) -> None:
        self._left = torch.tensor(steps)
        self._end = torch.tensor(sorted(end), dtype=torch.long)
        self._rows: list[deque[Tensor]] = [deque(maxlen=count) for count in keep]
        self._started = False

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Logits of the next token, float [batch, vocabulary], as they came."""
        if self._started:
            self._left[torch.isin(input_ids[:, -1].cpu(), self._end)] = 0
        self._started = True
        for kept, row, left in zip(self._rows, scores, self._left.tolist(), strict=True):
            if left > 0:
                kept.append(row.clone())
        self._left -= 1
        return scores

    def logits(self, row: int) -> Tensor:
        """Float [kept, vocabulary] of one row, in the order decoded."""
        return torch.stack(tuple(self._rows[row]))


class Forcer(LogitsProcessor):  # type: ignore[misc]
    """Leaves each row one token to take: its own next one, and any when it has no more.

    Args:
        rows: the tokens that each row shall take.
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        most = max(map(len, rows))
        self._tokens = torch.tensor([[*row, *[0] * (most - len(row))] for row in rows])
        self._step = 0

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Float [batch, vocabulary]: 0 at the row's token, -inf elsewhere."""
        token = self._tokens[:, self._step, None].to(scores.device)
        self._step += 1
        return torch.full_like(scores, -torch.inf).scatter(1, token, 0.0)
