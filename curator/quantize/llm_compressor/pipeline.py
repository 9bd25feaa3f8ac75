"""How the rows run through the model: layer by layer where it can be traced, else the whole model at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

import torch
from compressed_tensors.offload import dispatch_model
from compressed_tensors.utils import patch_attr
from llmcompressor.core import active_session
from llmcompressor.pipelines.basic import BasicPipeline
from llmcompressor.pipelines.basic import pipeline as basic
from llmcompressor.pipelines.data_free import DataFreePipeline
from llmcompressor.pipelines.registry import CalibrationPipeline
from llmcompressor.pipelines.sequential import SequentialPipeline
from llmcompressor.pipelines.sequential import pipeline as sequential
from llmcompressor.utils.helpers import DisableQuantization
from torch import nn

NAME = "curate"


@CalibrationPipeline.register(NAME)
class EachAlone(CalibrationPipeline):  # type: ignore[misc]
    """Runs each modifier over all rows before the next, which sees what it has changed.

    The library's own ``independent`` pipeline does so too, but only with models that can be traced, and traces
    them anew for each modifier.
    """

    subgraphs: ClassVar[Sequence[Any] | None] = None
    done: ClassVar[Callable[[Any], None]] = staticmethod(lambda _modifier: None)

    @staticmethod
    def __call__(model: nn.Module, dataloader: Any, dataset_args: Any) -> None:
        """Calibrate; see the library's pipelines."""
        recipe = active_session().lifecycle.recipe
        modifiers = recipe.modifiers
        with patch_attr(recipe, "modifiers", None):
            for modifier in modifiers:
                recipe.modifiers = [modifier]
                _pipeline(modifier)(model, dataloader, dataset_args)
                EachAlone.done(modifier)


def _pipeline(modifier: Any) -> Any:
    if not modifier.requires_calibration_data:
        return DataFreePipeline()
    return _whole if EachAlone.subgraphs is None else SequentialPipeline()


def _whole(model: nn.Module, dataloader: Any, dataset_args: Any) -> None:
    """The library's basic pipeline, with quantisation off to its end.

    It turns quantisation on again before modifiers do their work. AWQ then looks at outputs under scales that
    nothing has set, takes them for faulty, and leaves every layer as it was.
    """
    if torch.accelerator.is_available():
        dispatch_model(model)
    with DisableQuantization(model), patch_attr(basic, "DisableQuantization", nullcontext):
        BasicPipeline()(model, dataloader, dataset_args)


@contextmanager
def calibrating(subgraphs: Sequence[Any] | None, done: Callable[[Any], None]) -> Iterator[str]:
    """Give the name of a pipeline for ``oneshot`` that uses these subgraphs inside the block.

    Args:
        subgraphs: the traced layers; ``None`` runs the whole model at once.
        done: called with each modifier after it has done its work.
    """
    with (
        patch_attr(EachAlone, "subgraphs", subgraphs),
        patch_attr(EachAlone, "done", staticmethod(done)),
        patch_attr(sequential, "trace_subgraphs", lambda *_: subgraphs),
    ):
        yield NAME
