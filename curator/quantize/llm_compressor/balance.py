"""Whether AWQ and SmoothQuant found anything to scale."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from curator._errors import RefusedError


@contextmanager
def scales_folded(model: nn.Module, method: str) -> Iterator[None]:
    """Refuse when the block leaves every norm of a model as it was, under a method that is to scale.

    AWQ and SmoothQuant know layers by their names, skip what they do not know or cannot scale with no more than a
    line in the log, and so can turn into plain rounding.

    Raises:
        RefusedError: nothing has changed.
    """
    # Of one dimension: norms, and the biases that are scaled along with them.
    before = {name: value.detach().cpu().clone() for name, value in model.named_parameters() if value.ndim == 1}
    yield
    after = dict(model.named_parameters())
    if all(torch.equal(after[name].detach().cpu(), value) for name, value in before.items()):
        raise RefusedError(
            f"{method} scaled nothing in {type(model).__name__}: llm-compressor does not know its layers, or its "
            "outputs are not finite; use gptq"
        )
