"""Whether the parts that a model was cut into are still the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from llmcompressor.utils.dev import get_main_device
from llmcompressor.utils.helpers import calibration_forward_context
from torch import Tensor, nn

from curator.quantize.llm_compressor.layers import output_head


def is_the_model(model: nn.Module, subgraphs: Sequence[Any], batch: Mapping[str, Tensor]) -> bool:
    """Whether a model and the subgraphs of it, run one after another, give the head the same input, bit for bit.

    Args:
        model: as it was cut.
        subgraphs: its parts in their order.
        batch: what both are run on.
    """
    head = output_head(model)
    if head is None:
        return True
    seen: list[Tensor] = []
    with ExitStack() as stack:
        stack.callback(head.register_forward_pre_hook(lambda _module, given: seen.append(given[0])).remove)
        stack.enter_context(calibration_forward_context(model))
        device = get_main_device()
        values = {name: tensor.to(device) for name, tensor in batch.items()}
        parts = _Parts(model, subgraphs, values)
        for module in parts.modules:
            stack.callback(module.register_forward_hook(parts.follow, with_kwargs=True).remove)
        model(**values)
        parts.run(len(subgraphs))
    return len(seen) == 2 and seen[0].shape == seen[1].shape and torch.equal(seen[0], seen[1])


class _Parts:
    """Runs the parts close behind the model: a layer that is given what the model has just given it is not
    computed a second time, so that both together cost little more than the model.

    Attributes:
        modules: those that a part calls, each with the number of the part.
    """

    def __init__(self, model: nn.Module, subgraphs: Sequence[Any], values: Mapping[str, Any]) -> None:
        self.modules: dict[nn.Module, int] = {}
        for number, subgraph in enumerate(subgraphs):
            self.modules |= dict.fromkeys(subgraph.submodules(model, recurse=False), number)
        self._model = model
        self._subgraphs = subgraphs
        self._values = dict(values)
        self._done = 0
        self._runs = False

    def follow(self, module: nn.Module, given: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
        """Run the parts up to the one that calls a module, which the model has just run: a forward hook."""
        if not self._runs and self.modules[module] >= self._done:
            with _remembering(module, (given, named), output):
                self.run(self.modules[module] + 1)

    def run(self, end: int) -> None:
        """Run the parts before ``end`` that have not been run."""
        self._runs = True
        for subgraph in self._subgraphs[self._done : end]:
            made = subgraph.forward(self._model, **{name: self._values[name] for name in subgraph.input_names})
            self._done += 1
            # The last gives what the model gives, whatever that is.
            if self._done < len(self._subgraphs):
                self._values |= made
                for name in subgraph.consumed_names:
                    del self._values[name]
        self._runs = False


@contextmanager
def _remembering(module: nn.Module, given: Any, output: Any) -> Iterator[None]:
    """Have a module give this output whenever it is given the same again."""
    real, own = module.forward, module.__dict__.get("forward")

    def forward(*arguments: Any, **named: Any) -> Any:
        known = isinstance(output, Tensor) or (type(output) is tuple and all(map(torch.is_tensor, output)))
        if not known or not _alike((arguments, named), given):
            return real(*arguments, **named)
        # What comes after it may change it in place, for the model too.
        return output.clone() if isinstance(output, Tensor) else tuple(part.clone() for part in output)

    module.__dict__["forward"] = forward
    try:
        yield
    finally:
        if own is None:
            del module.__dict__["forward"]
        else:
            module.__dict__["forward"] = own


def _alike(one: Any, other: Any) -> bool:
    """Whether a module may be given one for the other; of what is no tensor, only plain values are compared."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    return isinstance(one, bool | int | float | str) and one == other
