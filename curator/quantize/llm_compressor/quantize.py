"""One checkpoint by llm-compressor, from a loaded model."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from compressed_tensors.offload import update_offload_parameter
from torch import nn

from curator._errors import InputError
from curator.adapters.llm_compressor import oneshot_arguments
from curator.adapters.tensors import tensor_batches
from curator.quantize.audit.unseen import fill_unseen, round_to_nearest
from curator.quantize.audit.watch import watch
from curator.quantize.cpu_kernels import register_cpu_kernels
from curator.quantize.kv_headroom import widen_scales
from curator.quantize.llm_compressor.balance import scales_folded
from curator.quantize.llm_compressor.layers import layer_formats
from curator.quantize.llm_compressor.mends import mend_library, no_centring
from curator.quantize.llm_compressor.modifiers import modifiers
from curator.quantize.llm_compressor.pipeline import calibrating
from curator.quantize.llm_compressor.rotated import check_rotated, logits
from curator.quantize.llm_compressor.tracing import Untraceable, trace
from curator.quantize.rows import batch_sizes
from curator.recipe.quantize_settings import QuantizeSettings

SEED = 0


def quantize(
    model: Any,
    tokenizer: Any,
    settings: QuantizeSettings,
    rows: list[list[int]],
    out: Path,
    *,
    remote_code: bool,
    tell: Callable[[float], None],
) -> dict[str, Any]:
    """Quantise a model in place and save it as a compressed-tensors checkpoint.

    Args:
        model: a BF16 model on the CPU; of no use afterwards.
        tokenizer: saved beside it.
        settings: method and options.
        rows: token ids of the calibration set, one list a sequence; one short row for a method without data.
        out: folder to write.
        remote_code: whether the model's folder may run code of its own.
        tell: called with the share of the calibration that is done.

    Returns:
        What reached the model (see `Audit.counts`), with ``batches`` (batches by their number of rows),
        ``pipeline``, ``notes`` and ``seed``.

    Raises:
        InputError: settings that this model does not take.
        RefusedError: an expert saw no token; the library may wrap it, see `refusal_in`.
    """
    from llmcompressor import oneshot
    from llmcompressor.core import reset_session
    from llmcompressor.modeling.moe.linearize import get_non_linearized_moes, linearize_moe

    register_cpu_kernels()
    mend_library()
    _seed()
    if get_non_linearized_moes(model):
        linearize_moe(model)
    about, formats = settings.about, layer_formats(model, settings)
    steps = modifiers(settings, formats)
    batches = tensor_batches(rows, settings.batch_size)
    subgraphs, pipeline, notes = _plan(model, settings, steps, batches)
    turning = next((one for one, step in zip(steps, about.steps, strict=True) if "rotates" in step.traits), None)
    before = logits(model, batches[0]) if turning is not None else None

    def done(modifier: Any) -> None:
        if before is not None and modifier is turning:
            # What is run for a check is no row that reached the model.
            audit.detach()
            check_rotated(model, before, logits(model, batches[0]))
            audit.attach()

    # Tracing may have drawn numbers.
    _seed()
    with (
        watch(
            model,
            rows,
            # Without data no expert needs a token.
            stop_on_unseen=settings.experts == "refuse" and settings.needs_set,
            on_unseen=round_to_nearest if settings.experts == "report" else None,
        ) as audit,
        calibrating(subgraphs, done, tell) as name,
        _told(settings),
        scales_folded(model, settings.method) if "folds" in about.traits else nullcontext(),
        no_centring(model),
    ):
        oneshot(
            model=model,
            tokenizer=tokenizer,
            recipe=steps,
            pipeline=name,
            trust_remote_code_model=remote_code,
            moe_calibrate_all_experts=settings.experts == "all",
            sequential_offload_device=_offload_device(),
            **oneshot_arguments(rows, model, settings.batch_size),
        )
    reset_session()
    counts = audit.counts()
    if settings.experts == "report":
        fill_unseen(model, counts)
    _finish(model, settings)
    model.save_pretrained(out, save_compressed=True)
    # The library's recipe of a run that was given modifiers is empty; ours is in the receipt.
    (out / "recipe.yaml").unlink(missing_ok=True)
    tokenizer.save_pretrained(out)
    return {
        **counts,
        "batches": batch_sizes(rows, settings.batch_size),
        "pipeline": pipeline,
        "notes": notes,
        "seed": SEED,
    }


def _plan(
    model: Any, settings: QuantizeSettings, steps: list[Any], batches: list[Any]
) -> tuple[list[Any] | None, str, list[str]]:
    """The model's layers when it can be cut into them, the pipeline's name, and what to tell."""
    if not any(step.requires_calibration_data for step in steps):
        return None, "datafree", []
    if settings.pipeline == "basic":
        return None, "basic", []
    try:
        return trace(model, batches), "sequential", []
    except Untraceable as error:
        what = f"{type(model).__name__} cannot be run layer by layer: {error}"
        if settings.pipeline == "sequential":
            raise InputError(f"{what}; use pipeline: basic, or auto") from error
        return None, "basic", [f"{what}. It was run whole: no layer saw the errors of those before it"]


@contextmanager
def _told(settings: QuantizeSettings) -> Iterator[None]:
    """Say in our words what the library cannot rotate."""
    try:
        yield
    except NotImplementedError as error:
        if "transforms" not in str(error):
            raise
        raise InputError(f"SpinQuant cannot rotate this model ({error}); use another method") from error
    except ValueError as error:
        if "hadamard" not in str(error):
            raise
        other = "random-hadamard, or " if settings.option("rotation") == "hadamard" else ""
        raise InputError(
            f"quantize.rotation {settings.option('rotation')} does not fit this model's widths ({error}); use "
            f"{other}another method"
        ) from error


def _finish(model: nn.Module, settings: QuantizeSettings) -> None:
    if settings.about.data == "nothing":
        # Amax 2688 everywhere, so that no data is in the checkpoint.
        for module in model.modules():
            scale = getattr(module, "input_global_scale", None)
            if scale is not None:
                # Not in place: of an offloaded module what is handed out is a copy.
                update_offload_parameter(module, "input_global_scale", torch.ones_like(scale))
    if settings.kv_cache == "fp8":
        widen_scales(model)
    if hasattr(model, "transform_config"):
        # Both rotations are in the weights: a server has nothing to rotate, and not all know the key.
        del model.transform_config


def _offload_device() -> str:
    """Where activations wait between layers: on the second GPU when there is one."""
    return "cuda:1" if torch.cuda.device_count() > 1 else "cpu"


def _seed() -> None:
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
