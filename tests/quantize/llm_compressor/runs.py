"""llm-compressor on the tiny model, in this process: what the tests of its parts share."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from curator.models.load import load_model
from curator.quantize.checkpoint import Tensors
from curator.quantize.llm_compressor.quantize import quantize
from curator.recipe.quantize_settings import QuantizeSettings

# Two sets of the same size and lengths: three lengths, each of two neighbours.
SETS = {
    "a": [[(7 * row + 3 * column * column) % 290 + 2 for column in range(24 + row // 2)] for row in range(6)],
    "b": [[(5 * row + 11 * column) % 97 + 2 for column in range(24 + row // 2)] for row in range(6)],
}


def run(
    model: Path, out: Path, rows: list[list[int]] | None = None, *, remote_code: bool = False, **settings: Any
) -> dict[str, Any]:
    """Quantise a model folder with set ``a``, or other rows; returns what `quantize` does."""
    from transformers import AutoTokenizer

    return quantize(
        load_model(model, "bfloat16", trust_remote_code=remote_code),
        AutoTokenizer.from_pretrained(model, trust_remote_code=remote_code),
        QuantizeSettings.model_validate(settings),
        SETS["a"] if rows is None else rows,
        out,
        remote_code=remote_code,
        tell=lambda _share: None,
    )


def tensors_of(folder: Path) -> dict[str, torch.Tensor]:
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        return {name: tensors[name] for name in tensors}


def hashes(folder: Path) -> dict[str, str]:
    """A hash of each tensor's bytes, by name."""
    return {
        name: hashlib.sha256(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()).hexdigest()
        for name, tensor in tensors_of(folder).items()
    }


def changed_leaves(one: Path, other: Path) -> set[str]:
    """The last parts of the names of tensors that differ between two checkpoints of equal names."""
    first, second = hashes(one), hashes(other)
    assert first.keys() == second.keys()
    return {name.rpartition(".")[2] for name in first if first[name] != second[name]}
