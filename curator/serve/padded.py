"""Windows of several lengths as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from curator.serve.interface import Window


@dataclass(frozen=True, slots=True)
class Padded:
    """A batch, padded at the right without a mask: under causal attention no token sees what is behind it.

    Attributes:
        ids: int64 [B, tokens of the longest].
        keep: int64 [K], positions that any window's scored tokens are predicted from.
        rows: of each window, its scored tokens' rows among ``keep``.
    """

    ids: Tensor
    keep: Tensor
    rows: tuple[slice, ...]


def pad(windows: Sequence[Window], device: str | torch.device) -> Padded:
    """One batch of windows."""
    width = max(len(window.ids) for window in windows)
    ids = torch.tensor([list(window.ids) + [0] * (width - len(window.ids)) for window in windows], device=device)
    # The row before a token holds the distribution that it was predicted from.
    first = min(window.start for window in windows) - 1
    rows = tuple(slice(window.start - 1 - first, len(window.ids) - 1 - first) for window in windows)
    return Padded(ids, torch.arange(first, width - 1, device=device), rows)
