"""The dequantised twin: a plain checkpoint whose weights are exactly the E2M1 x scale values.

It is weight-only NVFP4 (W4A16) for servers without FP4 kernels, a CPU server for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from curator._files import atomic_folder, write_json
from curator._outputs import Ours
from curator.quantize.checkpoint.files import COPIED, ShardWriter, copy_files
from curator.quantize.checkpoint.opened import Checkpoint, open_checkpoint
from curator.quantize.checkpoint.tensors import tensors_sha256
from curator.quantize.checkpoint.verify import check_checkpoint
from curator.quantize.preflight.disk import check_disk

TWIN_MARKER = "curate-twin.json"
TWIN_FOLDER = Ours("a twin of ours", TWIN_MARKER, "twin_of_tensors_sha256", ("*.safetensors", *COPIED))
TwinDtype = Literal["float32", "bfloat16"]


@dataclass(slots=True)
class _Rounding:
    """How many quantised weights a dtype cannot hold."""

    weights: int = 0
    changed: int = 0
    largest: float = 0.0

    def take(self, exact: Tensor, dtype: torch.dtype) -> Tensor:
        rounded = exact.to(dtype)
        if dtype == torch.float32:
            return rounded
        back = rounded.to(torch.float32)
        differs = back != exact
        self.weights += exact.numel()
        self.changed += int(differs.sum())
        if bool(differs.any()):
            relative = ((back - exact).abs() / exact.abs())[differs]
            self.largest = max(self.largest, float(relative.max()))
        return rounded


def write_twin(checkpoint: Path, out: Path, dtype: TwinDtype = "float32") -> list[str]:
    """Write the dequantised twin of a checkpoint of either layout.

    Args:
        checkpoint: compressed-tensors or ModelOpt, with FP8 layers or without.
        out: folder to write.
        dtype: ``float32`` holds the product of E2M1, E4M3 and an FP32 scale as the libraries compute it;
            ``bfloat16`` rounds it once more, for half the size.

    Returns:
        What the twin has not: KV scales, exactness.

    Raises:
        InputError: ``checkpoint`` is no quantised checkpoint of either layout.
        RefusedError: it has faults, or quantised tensors that are not understood.
        DependencyError: there is not enough disk.
    """
    check_checkpoint(checkpoint)
    with open_checkpoint(checkpoint) as opened, atomic_folder(out) as folder:
        opened.refuse_unknown("dequantised")
        check_disk(out, opened.parameters * (4 if dtype == "float32" else 2))
        kind, rounding = getattr(torch, dtype), _Rounding()
        writer = ShardWriter(folder)
        for name, tensor in opened.rest():
            writer.add(name, tensor.to(kind) if tensor.is_floating_point() else tensor)
        for linear in opened.linears.values():
            writer.add(f"{linear.name}.weight", rounding.take(linear.weight(), kind))
        writer.close()
        write_json(folder / "config.json", _config(opened, dtype))
        notes = _notes(opened, rounding, dtype)
        marker = {"twin_of_tensors_sha256": tensors_sha256(checkpoint), "dtype": dtype, "notes": notes}
        write_json(folder / TWIN_MARKER, marker)
        copy_files(checkpoint, folder)
    return notes


def _config(opened: Checkpoint, dtype: TwinDtype) -> dict[str, Any]:
    config = {key: value for key, value in opened.config.items() if key not in ("torch_dtype", "dtype")}
    return {**config, "dtype": dtype}


def _notes(opened: Checkpoint, rounding: _Rounding, dtype: TwinDtype) -> list[str]:
    notes = []
    if opened.kv_cache != "none" or opened.parts.kv:
        notes.append("the twin keeps keys and values in its own dtype: the KV cache's FP8 scales are left out")
    if rounding.changed:
        notes.append(
            f"{dtype} rounds {rounding.changed / rounding.weights:.1%} of the quantised weights, by up to "
            f"{rounding.largest:.2%}: logits are not exactly the checkpoint's; float32 holds them"
        )
    if any(linear.tensor_name("pre_scale") for linear in opened.linears.values()):
        notes.append("scales of the inputs (pre_quant_scale) are folded into the twin's weights")
    return notes
