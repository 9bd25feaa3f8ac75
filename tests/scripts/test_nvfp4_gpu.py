"""The GPU measurement's own arithmetic."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from nvfp4_gpu.compare import equal_shares


def test_shares_of_equal_bytes_are_by_kind_of_tensor(tmp_path: Path) -> None:
    packed = torch.arange(8, dtype=torch.uint8)
    other = packed.clone()
    other[:2] = 255
    scales = torch.ones(2)
    for name, second in (("a", packed.clone()), ("b", other)):
        (tmp_path / name).mkdir()
        tensors = {"x.weight_packed": packed, "y.weight_packed": second, "x.scale": scales}
        save_file(tensors, tmp_path / name / "model.safetensors")
    assert equal_shares(tmp_path / "a", tmp_path / "b") == {"scale": 1.0, "weight_packed": 14 / 16}
