"""How much of two checkpoints is the same."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import torch
from safetensors import safe_open

from curator.quantize.checkpoint import open_checkpoint, verify_checkpoint


def equal_shares(first: Path, second: Path) -> dict[str, float]:
    """Shares of equal bytes by kind of tensor (the last part of its name); 1.0 throughout means the same."""
    equal: dict[str, int] = {}
    total: dict[str, int] = {}
    for file in sorted(first.glob("*.safetensors")):
        with safe_open(file, "pt") as mine, safe_open(second / file.name, "pt") as theirs:
            for name in mine.keys():  # noqa: SIM118 - a safe_open is no mapping
                a, b = (side.get_tensor(name).contiguous().view(torch.uint8) for side in (mine, theirs))
                kind = name.rpartition(".")[2]
                equal[kind] = equal.get(kind, 0) + int((a == b).sum())
                total[kind] = total.get(kind, 0) + a.numel()
    return {kind: equal[kind] / total[kind] for kind in sorted(total)}


def weight_difference(first: Path, second: Path, model: Path) -> dict[str, float]:
    """Relative differences of dequantised weights, means over the layers.

    Args:
        first: a checkpoint.
        second: another, of the same method and model.
        model: folder of that model in BF16.

    Returns:
        ``between``: Frobenius norm of the difference over that of the first's weight; ``first``, ``second``: the
        same of each against the model's own weight.
    """
    between = []
    with open_checkpoint(first) as mine, open_checkpoint(second) as theirs:
        for name, linear in mine.linears.items():
            weight = linear.weight()
            between.append(float((weight - theirs.linears[name].weight()).norm() / weight.norm()))
    return {
        "between": fmean(between),
        **{name: _error(folder, model) for name, folder in (("first", first), ("second", second))},
    }


def _error(checkpoint: Path, model: Path) -> float:
    errors = verify_checkpoint(checkpoint, reference=model).errors or ()
    return fmean(error.error for error in errors)
