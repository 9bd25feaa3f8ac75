"""Writing a baseline folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.measure.baseline_settings import Phase
from curator.measure.lists_file import NAMES, Arrays, unpack
from curator.serve.interface import Window


def save_windows(folder: Path, windows: Sequence[Window], picked: Sequence[NDArray[np.int64]]) -> None:
    """Write the token windows, and which of their scored tokens are kept."""
    np.savez(
        folder / "windows.npz",
        ids=np.concatenate([np.array(window.ids, dtype=np.int32) for window in windows]),
        offsets=_offsets([len(window.ids) for window in windows]),
        prompts=np.array([window.prompt for window in windows], dtype=np.int64),
        starts=np.array([window.start for window in windows], dtype=np.int64),
        picked=np.concatenate(list(picked)).astype(np.int32),
        picked_offsets=_offsets([len(rows) for rows in picked]),
    )


def save_lists(folder: Path, size: int, lists: Mapping[Phase, Sequence[Arrays]]) -> None:
    """Write the packed lists of a batch size, each phase's prompts one behind the other; no file for none."""
    if not lists:
        return
    whole = {
        f"{phase}_{name}": np.concatenate(
            [part[name] for part in parts], axis=-2 if parts[0][name].ndim == 3 else 0
        )
        for phase, parts in lists.items()
        for name in NAMES
    }
    np.savez_compressed(folder / f"batch-{size}.npz", **whole)  # type: ignore[arg-type]


def save_full(folder: Path, partial: Path, sizes: Sequence[int]) -> None:
    """Give the logits of a baseline under way to the finished one, without a second copy where that can be."""
    for name in map(full_name, sizes):
        try:
            os.link(partial / name, folder / name)
        except OSError:
            shutil.copyfile(partial / name, folder / name)


def full_name(size: int) -> str:
    """The file with the full-vocabulary logits of a batch size."""
    return f"full-{size}.npy"


def mass_by_task(tasks: Sequence[str], parts: Sequence[Arrays]) -> dict[str, dict[str, float]]:
    """How much probability the lists hold, by task.

    Args:
        tasks: of the prompts.
        parts: their packed lists.

    Returns:
        ``mean`` over a task's tokens, and the ``least`` of one.
    """
    masses = [np.exp(unpack(part).top_logprobs.astype(np.float64)).sum(axis=1) for part in parts]
    found = {}
    for task in dict.fromkeys(tasks):
        own = np.concatenate([mass for mass, name in zip(masses, tasks, strict=True) if name == task])
        found[task] = {"mean": min(float(own.mean()), 1.0), "least": min(float(own.min()), 1.0)}
    return found


def size_entry(lists: Mapping[Phase, Sequence[Arrays]], full: bool) -> dict[str, Any]:
    """What the manifest says of a batch size.

    Returns:
        Its ``phases``, the smallest batch that really ran in them, and ``full`` where logits over the whole
        vocabulary are kept.
    """
    batches = [int(part["batch"]) for parts in lists.values() for part in parts]
    achieved = {"achieved": min(batches)} if batches else {}
    return {"phases": list(lists), **achieved, **({"full": True} if full else {})}


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
