"""Whether the checkpoint fits on the disk, before hours are spent on it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from curator._errors import DependencyError
from curator.quantize.preflight.skeleton import Linear, Skeleton
from curator.recipe.quantize_settings import Format

# Bytes a weight: two a byte and a scale for each 16; one, and a scale for each row; as it was.
_BYTES: dict[Format, float] = {"nvfp4": 0.5 + 1 / 16, "fp8": 1.0, "bf16": 2.0}
# Tokenizer, config, the log, and what safetensors adds.
_REST = 64 << 20


def checkpoint_bytes(layout: Skeleton, formats: Mapping[Linear, Format]) -> int:
    """Estimated size of a checkpoint's weights."""
    weights = {linear: linear.inputs * linear.outputs * linear.copies for linear in formats}
    others = layout.parameters - sum(weights.values())
    packed = sum(count * _BYTES[formats[linear]] for linear, count in weights.items())
    return int(packed + max(others, 0) * _BYTES["bf16"])


def check_disk(out: Path, needed: int) -> None:
    """Refuse when the file system of ``out`` has less free than ``needed`` bytes, and a little for other files.

    Raises:
        DependencyError: names both sizes.
    """
    place = Path(out).absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    needed += _REST
    if free < needed:
        raise DependencyError(
            f"{out}: the checkpoint needs about {needed / 1e9:.1f} GB, {free / 1e9:.1f} GB are free there; free "
            "space or choose another --out"
        )
