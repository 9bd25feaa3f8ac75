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


class DiskRoom:
    """What is free on each file system, less what has been promised to checkpoints that are not yet written."""

    def __init__(self) -> None:
        self._promised: dict[int, int] = {}

    def take(self, out: Path, needed: int) -> None:
        """Promise ``needed`` bytes, and a little for other files, to ``out``.

        Raises:
            DependencyError: there is less; names both sizes.
        """
        place = Path(out).absolute()
        while not place.exists():
            place = place.parent
        free, disk = shutil.disk_usage(place).free, place.stat().st_dev
        needed += _REST
        promised = self._promised.get(disk, 0)
        if free < promised + needed:
            others = f" beside {promised / 1e9:.1f} GB for those before it" if promised else ""
            raise DependencyError(
                f"{out}: the checkpoint needs about {needed / 1e9:.1f} GB{others}, {free / 1e9:.1f} GB are free "
                "there; free space or choose another --out"
            )
        self._promised[disk] = promised + needed


def check_disk(out: Path, needed: int) -> None:
    """Refuse when the file system of ``out`` has less free than ``needed`` bytes; see `DiskRoom`."""
    DiskRoom().take(out, needed)
