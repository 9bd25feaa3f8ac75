"""Which weights a server gets: a folder as it is, or the dequantised twin of one that it has no kernels for."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError, RefusedError
from curator._files import STEM, named_as, read_json
from curator.quantize.checkpoint.stated import MODELOPT_FILE
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype
from curator.serve.launch.arguments import gives, value_of
from curator.serve.launch.machine import GPU

_QUANTIZATION = "--quantization"
_FP4_BACKEND = ("--fp4-gemm-backend", "--fp4-gemm-runner-backend")
# The one backend for FP4 by FP4 that every generation of Blackwell has; "auto" would hide which one ran.
_NATIVE_BACKEND = "flashinfer_cutlass"


@dataclass(frozen=True, slots=True)
class Weights:
    """How a folder is served.

    Attributes:
        twin: by its dequantised twin.
        scheme: what the server then computes with; ``None`` for a model that is not quantised.
        arguments: what the server must be told.
        note: what the user should know; empty where there is nothing.
    """

    twin: bool
    scheme: Scheme | None
    arguments: dict[str, str | None]
    note: str = ""


def is_quantised(folder: Path) -> bool:
    """Whether a model folder says that its weights are quantised."""
    config = read_json(folder / "config.json")
    return (isinstance(config, dict) and bool(config.get("quantization_config"))) or (
        folder / MODELOPT_FILE
    ).is_file()


def plan_weights(folder: Path, asked: Scheme | None, gpu: GPU | None, given: Sequence[str]) -> Weights:
    """How to serve a folder.

    A GPU with FP4 tensor cores gets the checkpoint. Elsewhere a server has no kernel for it (a CPU), or one that
    is compiled for minutes at the first request and fails on some widths (Marlin, 8.0 to 9.0): there the twin is
    served, which holds the same numbers. Server arguments that name a quantisation or a kernel are followed.

    Args:
        folder: a model, or a checkpoint of either layout.
        asked: the scheme that is to be measured; ``None`` for what the server can do.
        gpu: the server's first GPU; ``None`` for a CPU.
        given: the user's server arguments.

    Raises:
        InputError: ``folder`` is a quantised model of another kind.
        RefusedError: ``W4A4`` is asked where the server runs weight-only, or a kernel that cannot load the folder.
    """
    if not is_quantised(folder):
        return Weights(False, None, {})
    from curator.quantize.checkpoint import open_checkpoint

    with open_checkpoint(folder) as opened:
        stored, layout = opened.scheme, opened.stated.layout
    if asked == "W4A4" and stored == "W4A16":
        raise InputError(f"{folder}: a weight-only checkpoint (no activation scales) cannot be measured as W4A4")
    modelopt: dict[str, str | None] = {_QUANTIZATION: "modelopt_fp4"} if layout == "modelopt" else {}
    native = gpu is not None and gpu.native_fp4
    if native and value_of(given, *_FP4_BACKEND) != "marlin":
        if asked == "W4A16" and stored == "W4A4":
            return Weights(True, "W4A16", {}, "W4A16 of a W4A4 checkpoint: served as its dequantised twin")
        return Weights(False, stored, {**modelopt, _FP4_BACKEND[0]: _NATIVE_BACKEND})
    _refuse_weight_only(asked, gpu)
    if gpu is not None and gives(given, _QUANTIZATION, *_FP4_BACKEND):
        if not gpu.native_fp4 and (layout, stored) == ("compressed-tensors", "W4A4"):
            return _twin_for_marlin(folder, gpu, given)
        note = "served weight-only (W4A16) by Marlin: activation scales have no effect"
        return Weights(False, "W4A16", {**modelopt, _FP4_BACKEND[0]: "marlin"}, note)
    where = "a CPU" if gpu is None else gpu.name
    note = f"{where} has no FP4 tensor cores: served as its dequantised twin, which is W4A16"
    return Weights(True, "W4A16", {}, note)


def _twin_for_marlin(folder: Path, gpu: GPU, given: Sequence[str]) -> Weights:
    """A compressed-tensors W4A4 folder where Marlin is asked: SGLang loads it with FP4 tensor cores only."""
    capability = f"SM{gpu.capability[0]}{gpu.capability[1]}"
    who = f"{gpu.name} ({capability}, no FP4 tensor cores)"
    convert = f"curate convert {folder} --to modelopt --out DIR"
    if gives(given, _QUANTIZATION):
        # Plain weights would be read as what it names.
        raise RefusedError(
            f"{folder}: a compressed-tensors W4A4 checkpoint, which SGLang cannot load on {who}; serve what "
            f"`{convert}` writes, or leave out {_QUANTIZATION}: its dequantised twin is served then"
        )
    return Weights(
        True,
        "W4A16",
        {},
        f"served as its dequantised twin, which is W4A16, not by Marlin: SGLang cannot load a compressed-tensors "
        f"W4A4 checkpoint on {who}; for Marlin serve what `{convert}` writes",
    )


def measurable(gpu: GPU | None, given: Sequence[str]) -> tuple[Scheme, ...]:
    """The schemes that a server of this machine can measure of a W4A4 checkpoint."""
    native = gpu is not None and gpu.native_fp4 and value_of(given, *_FP4_BACKEND) != "marlin"
    return ("W4A4", "W4A16") if native else ("W4A16",)


def refuse_scheme(scheme: Scheme, gpu: GPU | None, given: Sequence[str]) -> None:
    """Refuse a scheme that this machine's server cannot measure, before hours of quantising.

    Raises:
        RefusedError: it is W4A4, and the server runs weight-only.
    """
    if scheme not in measurable(gpu, given):
        _refuse_weight_only(scheme, gpu)


def _refuse_weight_only(asked: Scheme | None, gpu: GPU | None) -> None:
    if asked == "W4A4":
        who = "A CPU" if gpu is None else f"{gpu.name} (no FP4 tensor cores)"
        raise RefusedError(
            f"{who} serves weights alone in NVFP4, so that W4A4 would be measured as W4A16; take --scheme W4A16, "
            "a Blackwell GPU, or measure in process (without --serve)"
        )


@contextmanager
def temporary_twin(checkpoint: Path, dtype: Dtype) -> Iterator[tuple[Path, list[str]]]:
    """A checkpoint's twin beside it, for as long as a server runs.

    Args:
        checkpoint: see `write_twin`.
        dtype: of the twin; the server's.

    Yields:
        The twin's folder and its notes.

    Raises:
        InputError, RefusedError, DependencyError: see `write_twin`.
    """
    from curator.quantize.checkpoint import write_twin

    checkpoint = Path(os.path.abspath(checkpoint))
    # Named as what a killed command leaves behind (_files.py): a run folder's next command sweeps it away.
    prefix = f"{STEM}{os.getpid()}.{checkpoint.name[:32]}."
    place = Path(tempfile.mkdtemp(prefix=prefix, suffix=".tmp", dir=_room(checkpoint)))
    try:
        with named_as(place / "twin", f"dequantised copy of {checkpoint}"):
            notes = write_twin(checkpoint, place / "twin", dtype)
        yield place / "twin", notes
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _room(checkpoint: Path) -> Path | None:
    """Beside the checkpoint where that can be written, else the system's own place."""
    return checkpoint.parent if os.access(checkpoint.parent, os.W_OK) else None
