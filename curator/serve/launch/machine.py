"""The GPUs that a server would find here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_QUERY = "--query-gpu=index,uuid,name,compute_cap"
_SECONDS = 30.0
_FP4_CAPABILITY = (10, 0)


@dataclass(frozen=True, slots=True)
class GPU:
    """One NVIDIA GPU.

    Attributes:
        name: as its driver calls it.
        capability: compute capability; FP4 tensor cores begin with 10.0.
    """

    name: str
    capability: tuple[int, int]

    @property
    def native_fp4(self) -> bool:
        """Whether it multiplies FP4 by FP4; otherwise a server runs NVFP4 weight-only."""
        return self.capability >= _FP4_CAPABILITY


def find_gpus(environment: Mapping[str, str] = os.environ) -> tuple[GPU, ...]:
    """The GPUs that the driver shows and ``CUDA_VISIBLE_DEVICES`` leaves.

    The driver is asked, not torch: the server's build of torch is another one than ours.
    """
    program = shutil.which("nvidia-smi", path=environment.get("PATH"))
    if program is None:
        return ()
    try:
        asked = subprocess.run(
            [program, _QUERY, "--format=csv,noheader"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return visible(asked.stdout, environment.get("CUDA_VISIBLE_DEVICES")) if asked.returncode == 0 else ()


def visible(listed: str, only: str | None) -> tuple[GPU, ...]:
    """The GPUs of a list ``index, uuid, name, capability`` a line, in the order that ``only`` names them."""
    found: list[tuple[str, str, GPU]] = []
    for line in listed.splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 4:
            continue
        major, _, minor = parts[3].partition(".")
        if major.isdigit() and minor.isdigit():
            found.append((parts[0], parts[1], GPU(parts[2], (int(major), int(minor)))))
    if only is None:
        return tuple(gpu for _, _, gpu in found)
    chosen: list[GPU] = []
    for name in (part.strip() for part in only.split(",")):
        match = next(
            (gpu for index, uuid, gpu in found if name and (name == index or uuid.startswith(name))), None
        )
        if match is None:
            # CUDA too stops at the first that it does not know.
            break
        chosen.append(match)
    return tuple(chosen)


def what_runs(gpus: Sequence[GPU], cuda: str) -> tuple[str, str]:
    """What servers of this machine can measure, and what would let them do more.

    Args:
        gpus: from `find_gpus`.
        cuda: version of CUDA that the server's torch was built for; empty for a CPU build.
    """
    if not gpus or not cuda:
        words = "BF16 models, and checkpoints as dequantised twins (W4A16), on the CPU"
        fix = f"its torch is a CPU build: install one for CUDA to use {gpus[0].name}" if gpus else ""
        return words, fix
    gpu = gpus[0]
    name = f"{gpu.name} (SM{gpu.capability[0]}{gpu.capability[1]})"
    if gpu.native_fp4:
        return f"BF16 models, and W4A4 and W4A16 checkpoints, on {name}; never tried by us on this hardware", ""
    return f"BF16 models, and checkpoints as dequantised twins (W4A16: no FP4 tensor cores), on {name}", ""
