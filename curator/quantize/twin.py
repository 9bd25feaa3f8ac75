"""The dequantised twin: a plain checkpoint whose weights are exactly the E2M1 x scale values.

It is weight-only NVFP4 (W4A16) for servers without FP4 kernels, a CPU server for one.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import torch
from safetensors.torch import save_file

from curator._files import atomic_folder, read_json, write_json
from curator._outputs import Ours
from curator.quantize.checkpoint import (
    SCALES,
    Tensors,
    dequantized,
    linear_names,
    quantization_config,
    tensors_sha256,
)

TWIN_MARKER = "curate-twin.json"
TWIN_FOLDER = Ours(
    "a twin of ours",
    TWIN_MARKER,
    "twin_of_tensors_sha256",
    ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt"),
)
# config.json is written anew; the index names shards that the twin has not.
_NOT_COPIED = ("config.json", "curate.json", "model.safetensors.index.json")


def write_twin(checkpoint: Path, out: Path) -> None:
    """Write the dequantised twin of an NVFP4 checkpoint in float32.

    Float32, because BF16 would round a product of E2M1, E4M3 and an FP32 scale.

    Raises:
        InputError: ``checkpoint`` is not an NVFP4 checkpoint.
        DependencyError: the disk is full.
    """
    quantization_config(checkpoint)
    with atomic_folder(out) as folder, ExitStack() as stack:
        tensors = Tensors(checkpoint, stack)
        packed = set(linear_names(tensors))
        weights = {}
        for name in tensors:
            module, _, leaf = name.rpartition(".")
            if module in packed and leaf in ("weight_packed", *SCALES):
                continue
            weights[name] = tensors[name].to(torch.float32).contiguous()
        for module in sorted(packed):
            weights[f"{module}.weight"] = dequantized(tensors, module).contiguous()
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        config = read_json(checkpoint / "config.json")
        del config["quantization_config"]
        config["dtype"] = "float32"
        config.pop("torch_dtype", None)
        write_json(folder / "config.json", config)
        write_json(folder / TWIN_MARKER, {"twin_of_tensors_sha256": tensors_sha256(checkpoint)})
        for file in sorted(checkpoint.iterdir()):
            if file.suffix in {".json", ".jinja", ".model", ".txt"} and file.name not in _NOT_COPIED:
                shutil.copy2(file, folder / file.name)
