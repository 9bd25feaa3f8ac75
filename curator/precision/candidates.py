"""Linear layers as they would be in another format, put into the model and taken out again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from curator._errors import InputError, RefusedError
from curator.precision.formats import Format
from curator.precision.parts import Layout
from curator.quantize.checkpoint import Checkpoint, QuantisedLinear, open_checkpoint
from curator.quantize.fake_quant import GLOBAL, InputQuantizer, fp8_by_row, nvfp4
from curator.recipe.quantize_methods import Scheme


class Candidates:
    """Makes the quantised form of a model's linear layers.

    NVFP4 weights are rounded to nearest under one global scale for all that servers merge, or are those of a
    checkpoint. FP8 is E4M3 with a scale an output channel for weights and a scale a token for activations, for
    which no data is needed: what the recipe's ``format: fp8`` makes.

    Args:
        layout: the layers.
        amax: of each linear layer the largest magnitude among its inputs on the calibration set.
        scheme: ``W4A16`` leaves activations alone, in FP8 layers too.
        checkpoint: NVFP4 layers to use instead of rounding to nearest, with their activation scales.
    """

    def __init__(
        self,
        layout: Layout,
        amax: Mapping[str, float],
        scheme: Scheme,
        checkpoint: Mapping[str, QuantisedLinear] | None = None,
    ) -> None:
        self._layout = layout
        self._amax = amax
        self._scheme = scheme
        self._checkpoint = checkpoint or {}
        # Of the BF16 weights, whatever is in the model when they are asked for.
        self._weight_amax = {name: float(one.weight.data.abs().max()) for name, one in layout.linears.items()}

    @contextmanager
    def applied(self, formats: Mapping[str, Format]) -> Iterator[None]:
        """The model with these linear layers in these formats; the others, and afterwards all, are as they were.

        While it lasts the changed weights are held twice.
        """
        before: dict[str, Tensor] = {}
        handles = []
        try:
            for name, chosen in formats.items():
                if chosen == "bf16":
                    continue
                linear = self._layout.linears[name]
                before[name] = linear.weight.data
                linear.weight.data, inputs = self._quantised(name, chosen)
                if inputs is not None:
                    handles.append(inputs.attach(linear))
            yield
        finally:
            for handle in handles:
                handle.remove()
            for name, weight in before.items():
                self._layout.linears[name].weight.data = weight

    def _quantised(self, name: str, chosen: Format) -> tuple[Tensor, InputQuantizer | None]:
        weight = self._layout.linears[name].weight.data
        if chosen == "fp8":
            return fp8_by_row(weight), InputQuantizer("fp8-token", None) if self._scheme == "W4A4" else None
        stored = self._checkpoint.get(name)
        if stored is not None:
            return self._stored(stored, weight)
        scale = _global_scale(max(self._weight_amax[one] for one in self._layout.merged[name]))
        rounded = nvfp4(weight, scale.to(weight.device))
        if self._scheme == "W4A16":
            return rounded, None
        return rounded, InputQuantizer("nvfp4", _global_scale(self._amax[name]))

    def _stored(self, stored: QuantisedLinear, weight: Tensor) -> tuple[Tensor, InputQuantizer | None]:
        values = stored.weight().to(weight)
        if self._scheme == "W4A16":
            return values, None
        return values, InputQuantizer("nvfp4", stored.input_scale(), stored.stored("pre_scale"))


def open_candidates(
    model: nn.Module,
    layout: Layout,
    amax: Mapping[str, float],
    scheme: Scheme,
    checkpoint: Path | None,
    stack: ExitStack,
) -> Candidates:
    """Candidates of a model, with the NVFP4 layers of a checkpoint folder where one is given.

    Raises:
        InputError: the checkpoint cannot be read, or does not have these layers in NVFP4.
        RefusedError: its other weights are not the model's.
    """
    if checkpoint is None:
        return Candidates(layout, amax, scheme)
    stored = stack.enter_context(open_checkpoint(checkpoint))
    _check_fits(model, layout, stored, scheme)
    return Candidates(layout, amax, scheme, stored.linears)


def _check_fits(model: nn.Module, layout: Layout, checkpoint: Checkpoint, scheme: Scheme) -> None:
    """Refuse a checkpoint whose NVFP4 layers cannot stand in the BF16 model one by one."""
    for name, linear in layout.linears.items():
        stored = checkpoint.linears.get(name)
        if stored is None or stored.format != "nvfp4":
            raise InputError(f"--from: {name} is not in NVFP4 there; leave it out with --ignore")
        if tuple(stored.shape) != tuple(linear.weight.shape):
            raise InputError(
                f"--from: {name} is {tuple(stored.shape)} there and {tuple(linear.weight.shape)} in the model; "
                "name a checkpoint of this model"
            )
        if scheme == "W4A4" and (stored.input_format != "nvfp4" or stored.input_scale() is None):
            raise InputError(f"--from: {name} has no activation scale there; pass --scheme W4A16")
    own = model.state_dict()
    for name, tensor in checkpoint.rest():
        # Of a tied head, the one name or the other.
        if name in own and not torch.equal(own[name].to("cpu", tensor.dtype), tensor):
            raise RefusedError(
                f"--from: {name} differs from the model's, as after AWQ, SmoothQuant or a rotation: single layers "
                "of such a checkpoint do not fit the BF16 model; use one made by gptq, max or rtn"
            )


def _global_scale(amax: float) -> Tensor:
    """The divisor of a tensor; of one that is all zero, any will do."""
    return torch.tensor([GLOBAL / amax if amax > 0 else 1.0], dtype=torch.float32)
