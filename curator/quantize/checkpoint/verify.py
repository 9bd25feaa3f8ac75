"""All checks of a checkpoint, and what it is made of."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from curator._errors import RefusedError
from curator._progress import Advance, unseen
from curator.quantize.checkpoint.check_fused import check_fused
from curator.quantize.checkpoint.check_kv import check_kv
from curator.quantize.checkpoint.check_names import check_names
from curator.quantize.checkpoint.check_plain import check_plain
from curator.quantize.checkpoint.check_scales import WIDTH_WORDS, check_scales
from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.linear import Role
from curator.quantize.checkpoint.opened import Checkpoint, open_checkpoint
from curator.quantize.checkpoint.reference import LayerError, layer_errors
from curator.recipe.quantize_methods import Scheme

_ROLES: tuple[Role, ...] = ("weight", "block_scale", "global_scale", "input_scale", "pre_scale")


@dataclass(frozen=True, slots=True)
class Verification:
    """What a checkpoint is, and what is wrong with it.

    Attributes:
        layout: ``compressed-tensors`` or ``modelopt``.
        producer: what wrote it, as far as it says.
        scheme: ``W4A4`` or ``W4A16``.
        kv_cache: ``none``, ``fp8`` or ``other``.
        layers: linear layers by format; ``nvfp4`` has quantised inputs, ``nvfp4 weight-only`` has not.
        parameters: of the whole model.
        size: bytes of all tensors.
        bits_quantised: bits a weight in the quantised layers, scales included; ``None`` without any.
        bits_all: bits a parameter over the whole.
        faults: what would serve garbage or not load, one line each.
        warnings: what is doubtful, one line a kind.
        errors: of each layer against the reference, the largest first; ``None`` without a reference.
    """

    layout: str
    producer: str
    scheme: Scheme
    kv_cache: str
    layers: dict[str, int]
    parameters: int
    size: int
    bits_quantised: float | None
    bits_all: float
    faults: list[str]
    warnings: list[str]
    errors: list[LayerError] | None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        errors = None if self.errors is None else [{**asdict(one), "far": one.is_far} for one in self.errors]
        return {**asdict(self), "errors": errors}


@dataclass(frozen=True, slots=True)
class CheckpointReport:
    """What a check that found no fault tells.

    Attributes:
        linears: quantised layers.
        warnings: what is doubtful though not wrong, one line a kind.
        facts: layout, scheme, layers by format, bits and size.
    """

    linears: int
    warnings: list[str]
    facts: dict[str, Any]


def verify_checkpoint(
    folder: Path,
    asked: Scheme | None = None,
    reference: Path | None = None,
    advance: Advance = unseen,
) -> Verification:
    """Check a checkpoint of either layout; no fault is raised, all are returned.

    Args:
        folder: the checkpoint.
        asked: the scheme it is to be served with. ``W4A4`` needs a checkpoint that stores ``W4A4``.
        reference: folder of the model that was quantised, to compare each layer's weight with.
        advance: called with 1 for each layer compared.

    Raises:
        InputError: not a readable checkpoint of either layout.
    """
    found = Findings()
    with open_checkpoint(folder) as checkpoint:
        _check_scheme(checkpoint, asked, found)
        check_scales(checkpoint, found)
        check_names(checkpoint, found)
        check_fused(checkpoint, found)
        check_kv(checkpoint, found)
        check_plain(checkpoint, found)
        errors = None if reference is None else layer_errors(checkpoint, reference, found, advance)
        return _verification(checkpoint, found, errors)


def check_checkpoint(folder: Path, asked: Scheme | None = None) -> CheckpointReport:
    """Refuse a checkpoint that would serve garbage: `verify_checkpoint` for what was just written.

    Raises:
        InputError: not a readable checkpoint of either layout.
        RefusedError: a check failed, or nothing in it is quantised; the first ten faults are named.
    """
    made = verify_checkpoint(folder, asked)
    linears = sum(number for name, number in made.layers.items() if name != "not quantised")
    faults = made.faults if linears else ["no quantised weight at all", *made.faults]
    if faults:
        raise RefusedError(f"{folder}: {len(faults)} fault(s): " + "; ".join(faults[:10]))
    document = made.document()
    kept = ("layout", "scheme", "kv_cache", "layers", "bits_quantised", "bits_all", "size")
    # Widths were told before the model was quantised.
    warnings = [warning for warning in made.warnings if WIDTH_WORDS not in warning]
    return CheckpointReport(linears, warnings, {key: document[key] for key in kept})


def _check_scheme(checkpoint: Checkpoint, asked: Scheme | None, found: Findings) -> None:
    nvfp4 = [linear for linear in checkpoint.linears.values() if linear.format == "nvfp4"]
    alone = [linear.name for linear in nvfp4 if not linear.quantises_input]
    if not checkpoint.linears:
        found.doubt("no quantised weight at all")
    if asked != "W4A4":
        return
    if checkpoint.scheme == "W4A16":
        found.fault("the checkpoint is weight-only (W4A16, no activation scales), W4A4 was asked")
    for name in alone if checkpoint.scheme == "W4A4" else ():
        found.doubt("is weight-only, W4A4 was asked", name)


def _verification(checkpoint: Checkpoint, found: Findings, errors: list[LayerError] | None) -> Verification:
    tensors, linears = checkpoint.tensors, checkpoint.linears.values()
    names = {name for linear in linears for role in _ROLES if (name := linear.tensor_name(role))}
    weights = sum(math.prod(linear.shape) for linear in linears)
    parameters = checkpoint.parameters
    size = sum(tensors.size(name) for name in tensors)
    return Verification(
        layout=checkpoint.stated.layout,
        producer=checkpoint.stated.producer,
        scheme=checkpoint.scheme,
        kv_cache=checkpoint.kv_cache,
        layers=_layers(checkpoint),
        parameters=parameters,
        size=size,
        bits_quantised=round(8 * sum(map(tensors.size, sorted(names))) / weights, 4) if weights else None,
        bits_all=round(8 * size / parameters, 4) if parameters else 0.0,
        faults=found.faults,
        warnings=found.warnings(),
        errors=errors,
    )


def _layers(checkpoint: Checkpoint) -> dict[str, int]:
    counts: dict[str, int] = {}
    for linear in checkpoint.linears.values():
        weight_only = linear.format == "nvfp4" and not linear.quantises_input
        kind = f"{linear.format} weight-only" if weight_only else linear.format
        counts[kind] = counts.get(kind, 0) + 1
    counts["not quantised"] = len(checkpoint.parts.plain)
    return counts
