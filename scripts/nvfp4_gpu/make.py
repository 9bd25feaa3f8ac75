"""One checkpoint: made by `curate quantize`'s own path, timed, with the memory that it took on the GPU."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import DependencyError
from curator.adapters.stored_set import StoredSet
from curator.quantize.machine import find_devices
from curator.quantize.preflight.estimate import estimate
from curator.quantize.preflight.skeleton import skeleton
from curator.quantize.preflight.widths import formats
from curator.quantize.run import Job, quantize_model
from curator.recipe.quantize_settings import QuantizeSettings

_TOLD = (
    "method",
    "settings",
    "pipeline",
    "repeatable",
    "linears",
    "warnings",
    "tensors_sha256",
    "machine",
    "peak_gpu_bytes",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One checkpoint to make.

    Attributes:
        settings: method and scheme.
        set_name: name of the set's folder.
        stored: the set.
        device: as `find_devices` takes it.
        again: whether the same is made a second time.
    """

    settings: QuantizeSettings
    set_name: str
    stored: StoredSet
    device: str
    again: bool = False

    @property
    def name(self) -> str:
        """A name for people and for a folder."""
        return f"{self.settings.method}-{self.set_name}" + (f"-again-{self.device}" if self.again else "")


def make(model: Path, run: Run, out: Path) -> dict[str, Any]:
    """Make a checkpoint; returns the set's size, seconds, bytes of GPU memory and the receipt's other facts.

    Raises:
        CurateError: it cannot be made.
    """
    rows = run.stored.rows
    started = time.monotonic()
    receipt = quantize_model(
        model,
        Job(run.settings, rows, str(run.stored.manifest["set_hash"]), out),
        devices=find_devices(run.device),
    )
    seconds = round(time.monotonic() - started, 1)
    return {
        "set": run.set_name,
        "rows": len(rows),
        "tokens": sum(map(len, rows)),
        "again": run.again,
        "seconds": seconds,
        "estimated_gpu_bytes": _estimated_bytes(model, run),
        **{name: receipt[name] for name in _TOLD},
    }


def _estimated_bytes(model: Path, run: Run) -> int:
    """What the checks before a start say that the GPU must hold."""
    layout = skeleton(model, trust_remote_code=False)
    if isinstance(layout, str):
        raise DependencyError(f"{model}: cannot be laid out ({layout})")
    lengths = [len(row) for row in run.stored.rows]
    return estimate(layout, formats(layout, run.settings), run.settings, lengths).gpu()
