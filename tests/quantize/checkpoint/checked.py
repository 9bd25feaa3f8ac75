"""What the tests of the checks share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from made_checkpoints import Made

from curator.quantize.checkpoint import Verification, verify_checkpoint

ATTENTION = "model.layers.0.self_attn"
LAYOUTS = ("compressed-tensors", "modelopt")
# Widths of 64 are told of in every checkpoint here.
WIDTHS = "no multiple of 128"


def verified(made: Made, folder: Path, asked: Any = None) -> Verification:
    return verify_checkpoint(made.write(folder), asked)


def warnings(found: Verification) -> list[str]:
    return [warning for warning in found.warnings if WIDTHS not in warning]
