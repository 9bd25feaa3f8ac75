"""KL of a model some of whose layers are in other formats, on fixed windows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from curator.measure.full import kl_rows
from curator.precision.candidates import Candidates
from curator.precision.formats import Format
from curator.precision.replay import Replay
from curator.serve.interface import Window, batches
from curator.serve.padded import pad

# What a layer is given, of each batch; ``None`` stands for the ids.
Hidden = list[Tensor | None]


class Evaluator:
    """Compares changed models with the BF16 model, of which the last layer's output is kept, not the logits.

    Args:
        replay: runs of the model, entered.
        candidates: makes the changed layers.
        windows: what is scored.
        batch_size: windows run together, for the reference and the candidate alike.
    """

    def __init__(
        self,
        replay: Replay,
        candidates: Candidates,
        windows: Sequence[Window],
        batch_size: int,
    ) -> None:
        self.replay = replay
        self._candidates = candidates
        self._batches = [
            pad([windows[place] for place in span], replay.device) for span in batches(len(windows), batch_size)
        ]
        with torch.no_grad():
            replay.check(self._batches[0])
            last = self.start()
            for layer in range(replay.depth):
                last = self.after(layer, last)
            # A model that cannot be started behind its layers: its logits are kept instead.
            self._last: Hidden = last if replay.exact else [replay.logits(batch) for batch in self._batches]

    def start(self) -> Hidden:
        """What the first layer is given."""
        return [None for _ in self._batches]

    def cost(self) -> tuple[float, float]:
        """Seconds that comparing takes when the whole model runs, and when only norm and head do."""
        started = time.monotonic()
        self.kl({})
        middle = time.monotonic()
        if not self.replay.exact:
            return middle - started, middle - started
        self.kl({}, self.replay.depth, self._last)
        return middle - started, time.monotonic() - middle

    @torch.no_grad()
    def after(self, layer: int, hidden: Hidden) -> Hidden:
        """What the layer after ``layer`` is given in the BF16 model."""
        if not self.replay.exact:
            return hidden
        return [
            self.replay.output(batch, layer, given) for batch, given in zip(self._batches, hidden, strict=True)
        ]

    @torch.no_grad()
    def kl(
        self, formats: Mapping[str, Format], layer: int = 0, hidden: Hidden | None = None
    ) -> NDArray[np.float64]:
        """KL(BF16 || changed) over the whole vocabulary, the mean over each window's scored tokens.

        Args:
            formats: of the changed linear layers, by full name.
            layer: the first decoder layer that has one of them.
            hidden: what that layer is given; left out, the model runs whole.

        Returns:
            [windows], nats a token.
        """
        means: list[float] = []
        with self._candidates.applied(formats):
            for number, (batch, given) in enumerate(zip(self._batches, hidden or self.start(), strict=True)):
                candidate = self.replay.logits(batch, layer, given)
                reference = self._reference(number)
                means += [
                    float(kl_rows(reference[row, kept], candidate[row, kept]).mean())
                    for row, kept in enumerate(batch.rows)
                ]
        return np.array(means)

    def _reference(self, number: int) -> Tensor:
        """The BF16 model's logits of a batch. Norm and head are in no decoder layer, and thus never changed."""
        last = self._last[number]
        assert last is not None
        return self.replay.logits(self._batches[number], self.replay.depth, last) if self.replay.exact else last
