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
    tell: ClassVar[Callable[[float], None]] = staticmethod(lambda _share: None)
    # Modifiers that have run, and those that will.
    passes: ClassVar[tuple[int, int]] = (0, 1)

    @staticmethod
    def __call__(model: nn.Module, dataloader: Any, dataset_args: Any) -> None:
        """Calibrate; see the library's pipelines."""
        recipe = active_session().lifecycle.recipe
        modifiers = recipe.modifiers
        with patch_attr(recipe, "modifiers", None), patch_attr(EachAlone, "passes", (0, len(modifiers))):
            for number, modifier in enumerate(modifiers):
                recipe.modifiers = [modifier]
                EachAlone.passes = (number, len(modifiers))
                _pipeline(modifier)(model, dataloader, dataset_args)
                EachAlone.done(modifier)


class _Told:
    """Layers or batches that tell, as they are taken in turn, which share of the whole work is done.

    Args:
        items: what is taken.
    """

    def __init__(self, items: Any) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        before, passes = EachAlone.passes
        for number, item in enumerate(self._items):
            EachAlone.tell((before + number / len(self)) / passes)
            yield item


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
        BasicPipeline()(model, _Told(dataloader), dataset_args)


@contextmanager
def calibrating(
    subgraphs: Sequence[Any] | None, done: Callable[[Any], None], tell: Callable[[float], None]
) -> Iterator[str]:
    """Give the name of a pipeline for ``oneshot`` that uses these subgraphs inside the block.

    Args:
        subgraphs: the traced layers; ``None`` runs the whole model at once.
        done: called with each modifier after it has done its work.
        tell: called with the share of the work that is done.
    """
    with (
        patch_attr(EachAlone, "subgraphs", subgraphs),
        patch_attr(EachAlone, "done", staticmethod(done)),
        patch_attr(EachAlone, "tell", staticmethod(tell)),
        patch_attr(sequential, "trace_subgraphs", lambda *_: _Told(subgraphs)),
    ):
        yield NAME
