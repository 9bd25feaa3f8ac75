"""A model, and candidates at chosen distances from it, two at each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from curator.measure.heldout import make_heldout
from curator.models.locate import locate_model
from curator.quantize.checkpoint import open_checkpoint
from curator.quantize.run import Job, quantize_model
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling, Window
from curator.tokens.tokenizer import Tokenizer

KINDS = ("own", "moved")
_BATCH = 8
_PROMPT_TOKENS = 192
Logits = NDArray[np.float32]


class Distances:
    """A model with the error that NVFP4 by round to nearest makes in its weights, scaled.

    A second candidate as far away has the same errors in other rows of each matrix.

    Args:
        name: of the model, or its folder.
        folder: where the checkpoint is made.
    """

    def __init__(self, name: str, folder: Path) -> None:
        model = locate_model(name)
        quantize_model(model, Job(QuantizeSettings(method="rtn", scheme="W4A16"), [], "", folder / "rtn"))
        self._server = InProcess(model)
        self._tokenizer = Tokenizer(model)
        self._weights: dict[str, tuple[Tensor, Tensor]] = {}
        with open_checkpoint(folder / "rtn") as checkpoint:
            for name, linear in checkpoint.linears.items():
                weight = self._server.model.get_submodule(name).weight
                self._weights[name] = (weight.detach().clone(), linear.weight().to(weight.dtype) - weight.detach())

    def windows(self, prompts: int, tokens: int) -> list[Window]:
        """Held-out prompts (their first 192 tokens) with what the model writes greedily."""
        made = make_heldout()
        encoded = [prompt.encode(self._tokenizer)[:_PROMPT_TOKENS] for prompt in made]
        asked = sorted(encoded[:: max(len(encoded) // prompts, 1)][:prompts], key=len)
        written = self._server.generate(asked, Sampling(tokens), _BATCH)
        return [Window((*ids, *one.ids), len(ids)) for ids, one in zip(asked, written, strict=True)]

    def logits(self, windows: Sequence[Window], scale: float, kind: str = KINDS[0]) -> Iterator[Logits]:
        """Each window's logits [tokens, vocabulary] with so many times the quantisation error in the weights."""
        with torch.no_grad():
            for name, (weight, error) in self._weights.items():
                if kind == "moved":
                    error = error.roll(len(error) // 2, 0)
                self._server.model.get_submodule(name).weight.copy_(weight + scale * error)
        for scores in self._server.score(windows, 1, _BATCH):
            assert scores.logits is not None
            yield scores.logits.astype(np.float32)
