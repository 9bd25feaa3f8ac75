"""How much of two checkpoints is the same."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import safe_open


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
