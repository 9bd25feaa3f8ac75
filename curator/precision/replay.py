"""A model run from one of its layers on, so that what is before a change is computed once.

The decoder layers before the start give back what they are given, the start layer takes a hidden state of a former
run, and everything else (embedding, masks, rotary angles, final norm, head) is the model's own code. A model
whose layers depend on more than the hidden state of the layer before them (keys shared over layers, say) is found
out by running it both ways, and then always runs whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

import torch
from torch import Tensor, nn

from curator.serve.padded import Padded


class Replay:
    """Runs of one model. A context manager: on leaving, the layers run as they did.

    Attributes:
        exact: whether starting at a layer gives what the whole model gives, to the last bit.
    """

    def __init__(self, model: Any, layers: Sequence[nn.Module]) -> None:
        self.exact = True
        self._model = model
        self._layers = layers
        self._as_tuple = [False] * len(layers)
        self._start = 0
        self._end = len(layers)
        self._given: Tensor | None = None
        self._seen: dict[int, Tensor] = {}
        self._wanted: int | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for index, layer in enumerate(self._layers):
            # The instance's own, which nn.Module finds before that of its class.
            own = layer.__dict__.get("forward")
            layer.forward = self._switch(index, layer.forward)
            self._stack.callback(_restore, layer, own)
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    @property
    def depth(self) -> int:
        """The number of layers."""
        return len(self._layers)

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        device: torch.device = next(self._model.parameters()).device
        return device

    def logits(self, batch: Padded, start: int = 0, hidden: Tensor | None = None) -> Tensor:
        """Logits [B, K, vocabulary] of a batch at the positions kept.

        Args:
            batch: the ids.
            start: the layer to start at; the number of layers computes norm and head alone.
            hidden: what that layer is given, [B, tokens, width]; ``None`` runs the whole model.
        """
        if hidden is None or not self.exact:
            start, hidden = 0, None
        return self._run(batch.ids, batch.keep, start, self.depth, hidden)

    def output(self, batch: Padded, layer: int, hidden: Tensor | None) -> Tensor:
        """What one layer gives, [B, tokens, width], from what it is given (``None`` at the first)."""
        self._wanted = layer
        last = batch.keep[-1:]
        try:
            self._run(batch.ids, last, layer if hidden is not None else 0, layer + 1, hidden)
            return self._seen.pop(layer)
        finally:
            self._wanted = None

    def check(self, batch: Padded) -> None:
        """Set ``exact``: run a batch whole, and from the middle and from behind the last layer.

        An unequal result is no error: `logits` then runs the whole model every time.
        """
        whole = self.logits(batch)
        hidden: Tensor | None = None
        for layer in range(self.depth):
            hidden = self.output(batch, layer, hidden)
            if layer + 1 not in (self.depth // 2, self.depth):
                continue
            # Other ids in between: what a layer leaves behind for another must not be this batch's by chance.
            self.logits(replace(batch, ids=batch.ids.flip(1)))
            if not torch.equal(self.logits(batch, layer + 1, hidden), whole):
                self.exact = False
                return

    def _run(self, ids: Tensor, keep: Tensor, start: int, end: int, hidden: Tensor | None) -> Tensor:
        self._start, self._end, self._given = start, end, hidden
        output: Tensor = self._model(input_ids=ids, logits_to_keep=keep, use_cache=False).logits
        return output

    def _switch(self, index: int, real: Callable[..., Any]) -> Callable[..., Any]:
        def forward(*args: Any, **kwargs: Any) -> Any:
            given = args[0] if args else kwargs["hidden_states"]
            # A former run's hidden state stands for the output of the layer before, also where none runs.
            if index + 1 == self._start and self._given is not None:
                return self._as(index, self._given)
            if not self._start <= index < self._end:
                return self._as(index, given)
            result = real(*args, **kwargs)
            self._as_tuple[index] = isinstance(result, tuple)
            if index == self._wanted:
                self._seen[index] = result[0] if isinstance(result, tuple) else result
            return result

        return forward

    def _as(self, index: int, hidden: Tensor) -> Any:
        return (hidden,) if self._as_tuple[index] else hidden


def _restore(layer: nn.Module, own: Any) -> None:
    if own is None:
        del layer.__dict__["forward"]
    else:
        layer.__dict__["forward"] = own
